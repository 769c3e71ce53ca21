"""What the benchmarks print: rows for people, JSON for scripts, and the machine they were measured on."""

import json
import os
import platform
import subprocess
from datetime import date

from bed import BUILD, ROOT


class Results:
    """Rows of (store, what, value, unit, target, met). Printed as they come, so that a long run shows its progress."""

    def __init__(self):
        self.rows = []
        self._header = False

    def add(self, store, what, value, unit, least=None, most=None):
        """`least` and `most` are what was aimed at; the row says whether it was reached."""
        met = None
        if least is not None or most is not None:
            met = (least is None or value >= least) and (most is None or value <= most)
        aim = f">= {least}" if least is not None else f"<= {most}" if most is not None else ""
        self.rows.append({"store": store, "what": what, "value": value, "unit": unit, "aim": aim, "met": met})
        if not self._header:
            print(f"{date.today().isoformat()}, {version()}")
            print(f"{'store':<10} {'what':<58} {'value':>12} {'unit':<12} {'aim':<8}", flush=True)
            self._header = True
        verdict = "" if met is None else "met" if met else "MISSED"
        print(f"{store:<10} {what:<58} {_short(value):>12} {unit:<12} {aim:<8} {verdict}", flush=True)

    def write_json(self, path):
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"machine": machine(), "date": date.today().isoformat(), "version": version(), "rows": self.rows},
                      file, indent=1)


def _short(value):
    if isinstance(value, int) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) < 10 else f"{value:.1f}"


def version():
    """What was measured: the program's word, and the commit where the sources are a repository."""
    program = subprocess.run([BUILD / "millrace", "--version"], capture_output=True, text=True, check=False)
    commit = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True,
                            check=False)
    return " ".join(text for text in ("millrace", program.stdout.strip(), commit.stdout.strip()) if text)


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as cpus:
        model = next((line.split(":", 1)[1].strip() for line in cpus if line.startswith("model name")), "unknown")
    with open("/proc/meminfo", encoding="utf-8") as memory:
        gib = int(next(memory).split()[1]) // (1 << 20)
    return {"processor": model, "cores": os.cpu_count(), "memory_gib": gib, "kernel": platform.release(),
            "load_before": os.getloadavg()[0]}

"""Writes ratchet.txt anew from what is over its limit. Review the difference: lengths may only go down."""

import sizes
import tree

if __name__ == "__main__":
    ratchet = tree.ROOT / sizes.RATCHET
    header = [line for line in ratchet.read_text(encoding="utf-8").splitlines(True) if line.startswith("#")]
    ratchet.write_text("".join(header) + sizes.write_ratchet(sizes.measure(tree.load())), encoding="utf-8")

"""Certificates for tests, also such as are not valid now."""

import subprocess

NOW = None  # as a date: valid from now on, for two days

_SETTINGS = """
[ca]
default_ca = it
[it]
database = {folder}/{name}.index
new_certs_dir = {folder}
rand_serial = yes
default_md = sha256
policy = any
[any]
commonName = supplied
"""


def openssl(*args):
    subprocess.run(["openssl", *map(str, args)], check=True, capture_output=True)


class Authority:
    """A certificate authority with files in `folder`."""

    def __init__(self, folder, name):
        self._folder = folder
        self.certificate = folder / f"{name}.pem"
        self._key = folder / f"{name}.key"
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-days", "2",
                "-keyout", self._key, "-out", self.certificate)
        (folder / f"{name}.index").write_text("")
        self._settings = folder / f"{name}.cnf"
        self._settings.write_text(_SETTINGS.format(folder=folder, name=name))

    def issue(self, name, hosts, starts=NOW, ends=NOW):
        """Certificate and key of a server with these names; dates are written 20400101000000Z."""
        key, request, certificate = (self._folder / f"{name}.{end}" for end in ("key", "csr", "pem"))
        extensions = self._folder / f"{name}.ext"
        extensions.write_text(f"subjectAltName={hosts}\n")
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-keyout", key, "-out", request)
        dates = [*(["-startdate", starts] if starts else []), *(["-enddate", ends] if ends else ["-days", "2"])]
        openssl("ca", "-batch", "-notext", "-config", self._settings, "-cert", self.certificate, "-keyfile", self._key,
                "-in", request, "-extfile", extensions, *dates, "-out", certificate)
        key.chmod(0o600)
        return certificate, key

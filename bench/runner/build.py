# SPDX-License-Identifier: Apache-2.0
"""Builds the library and installs it into a folder of its own, then our benchmarks against that, then the peers."""
import glob
import os
import shutil
import subprocess

DEBIAN_CRATES = "/usr/share/cargo/registry"
DEBIAN_GO_PATH = "/usr/share/gocode"
PROGRAMS = ["uncontended", "cross", "scale2", "contended", "late"]
PARTS_LEFT_OUT = ["-Dtests=disabled", "-Dexamples=disabled", "-Ddemo=disabled", "-Dcpp=disabled"]


def run_logged(command, log, folder=None, **environment):
    """Runs a command quietly; its output is kept in `log` and shown when it fails."""
    os.makedirs(os.path.dirname(log), exist_ok=True)
    with open(log, "w", encoding="utf-8") as out:
        result = subprocess.run(command, cwd=folder, stdout=out, stderr=subprocess.STDOUT,
                                env={**os.environ, **environment}, check=False)
    if result.returncode != 0:
        with open(log, encoding="utf-8") as text:
            print(text.read())
        raise subprocess.CalledProcessError(result.returncode, command)


def configure(source, folder, log, options, **environment):
    again = ["--reconfigure"] if os.path.exists(os.path.join(folder, "build.ninja")) else []
    run_logged(["meson", "setup", *again, folder, source, *options], log, **environment)


def build_ours(root, output):
    """Returns {program: path}."""
    print("building the library and the benchmarks ...", flush=True)
    stage = os.path.join(output, "stage")
    library, programs = os.path.join(output, "library"), os.path.join(output, "programs")
    logs = os.path.join(output, "logs")
    configure(root, library, os.path.join(logs, "library-setup.log"),
              [f"--prefix={stage}", "--libdir=lib", *PARTS_LEFT_OUT])
    run_logged(["meson", "install", "-C", library], os.path.join(logs, "library.log"))
    configure(os.path.join(root, "bench", "programs"), programs, os.path.join(logs, "programs-setup.log"), [],
              PKG_CONFIG_PATH=os.path.join(stage, "lib", "pkgconfig"))
    run_logged(["meson", "compile", "-C", programs], os.path.join(logs, "programs.log"))
    return {name: os.path.join(programs, name) for name in PROGRAMS}


class Missing(Exception):
    """Names the Debian packages that bring what is not here."""


def require(present, packages):
    if not present:
        raise Missing(packages)


def build_nsync(_source, output, _log):
    binary = os.path.join(output, "programs", "nsync_peer")
    require(os.path.exists(binary), "libnsync-dev")
    return {"nsync": [binary]}


def build_go(source, output, log):
    require(shutil.which("go"), "golang-go")
    require(os.path.isdir(f"{DEBIAN_GO_PATH}/src/golang.org/x/sync/semaphore"), "golang-golang-x-sync-dev")
    binary = os.path.join(output, "go_peer")
    run_logged(["go", "build", "-o", binary, "."], log, folder=os.path.join(source, "go"), GO111MODULE="off",
               GOFLAGS="", GOPATH=DEBIAN_GO_PATH, GOCACHE=os.path.join(output, "go-cache"))
    return {"Go x/sync": [binary]}


def build_tokio(source, output, log):
    require(shutil.which("cargo") and shutil.which("rustc"), "cargo rustc")
    require(glob.glob(f"{DEBIAN_CRATES}/tokio-[0-9]*"), "librust-tokio-dev")
    folder = os.path.join(output, "rust")
    shutil.copytree(os.path.join(source, "rust"), folder, dirs_exist_ok=True)
    config = os.path.join(folder, "debian-crates.toml")
    with open(config, "w", encoding="utf-8") as text:
        text.write('[source.crates-io]\nreplace-with = "debian"\n'
                   f'[source.debian]\ndirectory = "{DEBIAN_CRATES}"\n')
    run_logged(["cargo", "--config", config, "build", "--release", "--offline"], log, folder=folder,
               CARGO_TARGET_DIR=os.path.join(output, "rust-target"))
    return {"tokio": [os.path.join(output, "rust-target", "release", "tokio_peer")]}


def build_java(source, output, log):
    require(shutil.which("javac") and shutil.which("java"), "openjdk-17-jdk-headless")
    classes = os.path.join(output, "java")
    os.makedirs(classes, exist_ok=True)
    run_logged(["javac", "-d", classes, os.path.join(source, "java", "SemaphorePeer.java")], log)
    command = ["java", "-Xmx256m", "-XX:+UseSerialGC", "-cp", classes, "SemaphorePeer"]
    return {"Java fair": command + ["fair"], "Java nonfair": command + ["nonfair"]}


BUILDERS = {"nsync": build_nsync, "Go x/sync": build_go, "tokio": build_tokio, "Java": build_java}


def build_peers(root, output):
    """Returns ({peer: command}, [line for each that is left out])."""
    peers, left_out = {}, []
    source = os.path.join(root, "bench", "peers")
    for name, builder in BUILDERS.items():
        print(f"building the peer {name} ...", flush=True)
        log = os.path.join(output, "logs", f"peer-{name.split()[0].lower()}.log")
        try:
            peers.update(builder(source, output, log))
        except Missing as packages:
            left_out.append(f"{name} is left out: apt-get install {packages}")
        except subprocess.CalledProcessError:
            left_out.append(f"{name} is left out: it did not build, see {os.path.relpath(log, root)}")
    return peers, left_out

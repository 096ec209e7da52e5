"""The Java classes (bindings/java) against TensorFlow Lite's API of Maven Central, and on the JVM.

    tests/java/package.py LIBRARY FOLDER

builds bindings/java and GlesDelegateTest.java in FOLDER and runs the test on the self-check's
model of the Python package, in the TensorFlow Lite of the JavaCPP presets. Run by CTest as
`java`; skips, with the reason, if nothing may be fetched (../python/environments.py), or
there is no JDK.
"""

import glob
import os
import shutil
import subprocess
import sys
import urllib.request
import xml.etree.ElementTree
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "python"))
import environments  # noqa: E402
import self_check  # noqa: E402

MAVEN = "https://repo1.maven.org/maven2/"
API = "org/tensorflow/tensorflow-lite-api/2.16.1/tensorflow-lite-api-2.16.1.aar"
PRESETS = "org/bytedeco/tensorflow-lite/2.21.0-1.5.14/tensorflow-lite-2.21.0-1.5.14"
JAVACPP = "org/bytedeco/javacpp/1.5.14/javacpp-1.5.14"
JARS = [name + kind for name in (PRESETS, JAVACPP) for kind in (".jar", "-linux-x86_64.jar")]
INPUTS, OUTPUTS = 16 * 16 * 5, 8 * 8 * 7  # self_check.tflite's


def fetch(path, folder):
    to = os.path.join(folder, os.path.basename(path))
    if not os.path.exists(to):
        try:
            urllib.request.urlretrieve(MAVEN + path, to + ".part")
        except OSError as error:
            environments.skip(f"{MAVEN}{path}: {error}")
        os.rename(to + ".part", to)
    return to


def fetch_classes(folder):
    """The jars that the test needs, fetched to `folder`: the API's classes first."""
    with zipfile.ZipFile(fetch(API, folder)) as archive:
        archive.extract("classes.jar", folder)
    return [os.path.join(folder, "classes.jar"), *(fetch(jar, folder) for jar in JARS)]


def test(home, classes, model, natives, folder, environment):
    """Runs GlesDelegateTest; `natives` is the loader's path. Ends the process if it fails."""
    done = subprocess.run(
        [os.path.join(home, "bin", "java"), "-Dfile.encoding=UTF-8",
         "-Djava.library.path=" + natives, "-cp", os.pathsep.join(classes),
         "GlesDelegateTest", model, str(INPUTS), str(OUTPUTS)],
        check=False, cwd=folder, env=dict(environment, LC_ALL="C.UTF-8"))
    if done.returncode != 0:
        sys.exit(done.returncode)


def check_maven(pom, jar):
    """Ends the process if Maven Central would refuse the files of a release."""
    project = xml.etree.ElementTree.parse(pom).getroot()
    named = {field.tag.split("}")[1]: field.text for field in project}
    if os.path.basename(jar) != "{artifactId}-{version}.jar".format(**named):
        sys.exit(f"FAILED: {jar} is not the jar of {named}")
    for kind, content in (("sources", "org/gles_delegate/GlesDelegate.java"),
                          ("javadoc", "org/gles_delegate/GlesDelegate.html")):
        with zipfile.ZipFile(jar[:-len(".jar")] + f"-{kind}.jar") as archive:
            if content not in archive.namelist():
                sys.exit(f"FAILED: no {content} among the {kind}")


def main():
    library, folder = os.path.realpath(sys.argv[1]), sys.argv[2]
    environments.check_may_fetch([API] + JARS)
    javac = shutil.which("javac")
    if javac is None:
        environments.skip("javac is not installed (Debian: default-jdk-headless)")
    home = os.path.dirname(os.path.dirname(os.path.realpath(javac)))
    os.makedirs(folder, exist_ok=True)
    api, *jars = fetch_classes(folder)
    build = os.path.join(folder, "build")
    subprocess.run(["cmake", "-S", os.path.join(ROOT, "bindings", "java"), "-B", build,
                    "-DGLES_DELEGATE_LIBRARY=" + library, "-DTFLITE_API_JAR=" + api,
                    "-DJAVA_HOME=" + home],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", build], check=True, stdout=subprocess.DEVNULL)
    classes = os.pathsep.join([folder, api, os.path.join(build, "gles-delegate.jar"), *jars])
    subprocess.run([javac, "-Xlint:all,-path", "-Werror", "-cp", classes, "-d", folder,
                    os.path.join(HERE, "GlesDelegateTest.java")], check=True)
    model = self_check.write_model(os.path.join(folder, "self_check.tflite"))
    natives = os.pathsep.join([build, os.path.dirname(library)])
    test(home, [folder, api, os.path.join(build, "gles-delegate.jar"), *jars], model, natives,
         folder, dict(os.environ, LD_LIBRARY_PATH=natives))
    # A release's jar has the native half inside.
    release = os.path.join(folder, "release")
    shutil.rmtree(release, ignore_errors=True)
    subprocess.run(
        [sys.executable, "-B", os.path.join(ROOT, "packaging", "release.py"),
         os.path.dirname(os.path.dirname(library)), release, "--only=jar",
         "--library=" + library],
        check=True, env=dict(os.environ, SOURCE_DATE_EPOCH="1700000000"))
    pom, jar = (glob.glob(os.path.join(release, "gles-delegate-*" + kind))[0]
                for kind in (".pom", ".[0-9].jar"))
    test(home, [folder, api, jar, *jars], model, "/nowhere", folder, os.environ)
    check_maven(pom, jar)


if __name__ == "__main__":
    main()

"""Fixtures that all tests share: Helm 3 and 4, kubectl, and the real control planes and schedulers.

The cluster starts when the first test asks for it, once a session; where pytest-xdist runs several processes, once in
each. Its programs are built, if need be, before the first test runs, so that no test's time limit counts the build.
Where it cannot be had, its tests are skipped with the reason; with ROSTER_REQUIRE_CLUSTER=1 in the environment they
fail instead.

Volcano and KAI run on a second control plane, which also serves their kinds: they count whole clusters, and no test of
kube-scheduler is to meet them. A test that takes `volcano`, `kai` or `placer` has its `namespace` there. What nothing
here can build is skipped in any environment, and counted in the closing line.

Kueue runs on a third, with all schedulers beside it: its webhooks hold what anybody makes there.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from helm_roster.helm import releases

from tests.cluster import admission, binaries, control_plane, projects, schedulers, session, spanning
from tests.cluster.admission import Kueue
from tests.cluster.api import ApiError, Json
from tests.cluster.control_plane import ControlPlane
from tests.cluster.namespaces import Namespace, fresh_name
from tests.cluster.schedulers import Scheduler
from tests.cluster.spanning import Spanning
from tests.support import clients, renderer, routers, sharing
from tests.support.roster import cli
from tests.support.runner import Runner, isolated

HELMS = {3: "helm-3.19", 4: "helm-4.3"}
# No wheel holds it: it is built, as the control plane is.
NEWEST_HELM3 = "helm-3.22"
SECOND_FIXTURES = {"second_cluster", "strict", "volcano", "kai"}
KUEUE_FIXTURES = {"kueue", "kueue_placer"}
# Who takes one of these uses a cluster.
CLUSTER_FIXTURES = {"lws", "programs", "cluster", "namespace", "native", "placer", *SECOND_FIXTURES, *KUEUE_FIXTURES}
# In the order in which a test's namespace is looked for.
HOMES = ("kueue", "kueue_placer", "placer", "volcano", "kai", "second_cluster")


def pytest_configure() -> None:
    """Hear ^C also where a shell in the background started us deaf to it: what tests start would inherit that."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Have what several processes import compiled once."""
    sharing.compile_by_turns(session.config)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test that uses the cluster, so that `-m "not cluster"` leaves out exactly those."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        sharing.first(items)
    for item in items:
        if CLUSTER_FIXTURES.intersection(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.cluster)
        if "lws" in getattr(item, "fixturenames", ()) and "test_lws" not in item.nodeid:
            msg = f"{item.nodeid}: tests that take `lws` share a process: put it into test_lws*.py"
            raise pytest.UsageError(msg)
        if _needs_kueue(item) and sharing.project(item.nodeid) != "Kueue":
            msg = f"{item.nodeid}: tests that take `kueue` or `admitted` share a process: put it into test_kueue*.py"
            raise pytest.UsageError(msg)


def _needs_kueue(item: pytest.Item) -> bool:
    return not {"kueue", "kueue_placer"}.isdisjoint(getattr(item, "fixturenames", ()))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> sharing.Sharing | None:
    """Share the tests as `sharing` says where `--dist loadfile` asks for files."""
    return sharing.Sharing(config, log) if config.getoption("dist") == "loadfile" else None


def pytest_collection_finish(session: pytest.Session) -> None:
    """Build the cluster's programs before the tests, with the progress shown."""
    wanted = binaries.CONTROL_PLANE if any(item.get_closest_marker("cluster") for item in session.items) else ()
    if any(map(_needs_kueue, session.items)) and not admission.why_no_certificate():
        wanted = (*wanted, admission.PROGRAM)
    if any("lws" in getattr(item, "fixturenames", ()) for item in session.items):
        wanted = (*wanted, spanning.PROGRAM)
    if any(NEWEST_HELM3 in item.name for item in session.items):
        wanted = (*wanted, NEWEST_HELM3)
    rendering = any("renderer" in getattr(item, "fixturenames", ()) for item in session.items)
    if not (wanted or rendering) or session.config.option.collectonly or binaries.why_unavailable():
        return
    capture = session.config.pluginmanager.getplugin("capturemanager")
    try:
        with capture.global_and_fixture_disabled():
            binaries.build(*wanted)
            if rendering:
                renderer.ensure()
    except binaries.UnavailableError as error:
        pytest.exit(f"test cluster: {error}", returncode=1)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Generator[None, object, object]:
    """Tell just above the closing line how many tests lacked Volcano's or KAI's programs or definitions."""
    told = yield
    if line := projects.lacking(report.longrepr for report in terminalreporter.getreports("skipped")):
        terminalreporter.write_line(line)
    return told


# What runs, by the fixture that started it: frozen while no test needs it.
_RUNNING: dict[str, ControlPlane] = {}
_FROZEN: set[str] = set()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Freeze the control planes that the test does not take, and thaw those that it may."""
    needed = _homes(item)
    for kind, running in _RUNNING.items():
        if kind in needed and kind in _FROZEN:
            running.thaw()
            _FROZEN.remove(kind)
        elif kind not in needed | _FROZEN:
            running.freeze()
            _FROZEN.add(kind)


def _homes(item: pytest.Item) -> set[str]:
    """Return which control planes a test takes."""
    takes = CLUSTER_FIXTURES.intersection(getattr(item, "fixturenames", ()))
    placer = item.callspec.params.get("placer", "") if hasattr(item, "callspec") else ""
    third = bool(takes & KUEUE_FIXTURES)
    second = bool(takes & SECOND_FIXTURES) or placer in projects.NAMES
    first = (
        bool(takes & {"cluster", "lws", "native"})
        or placer == "native"
        or ("namespace" in takes and not second | third)
    )
    return {kind for kind, taken in (("session", first), ("second", second), ("kueue", third)) if taken}


def _unavailable(reason: str) -> NoReturn:
    if os.environ.get("ROSTER_REQUIRE_CLUSTER") == "1":
        pytest.fail(f"ROSTER_REQUIRE_CLUSTER=1 asks for this test, but {reason}", pytrace=False)
    pytest.skip(reason)


@pytest.fixture(autouse=True)
def _fresh_process() -> None:
    """Forget what a process learns once of a release: another test's may have the same name."""
    releases.revisions.cache_clear()


@pytest.fixture(scope="session")
def programs() -> dict[str, Path]:
    """The control plane's programs by name."""
    if reason := binaries.why_unavailable():
        _unavailable(f"the test cluster cannot be built: {reason}")
    return binaries.build(*binaries.CONTROL_PLANE)


@pytest.fixture(scope="session")
def cluster(programs: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """The session's control plane; tests take `namespace`, which is theirs alone."""
    yield from _control_plane("session", programs, tmp_path_factory)


@pytest.fixture(scope="session")
def second_cluster(programs: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """Another control plane, which serves the kinds of Volcano and KAI as far as their definitions are here."""
    for running in _control_plane("second", programs, tmp_path_factory):
        projects.define(running.api)
        yield running


def _control_plane(kind: str, programs: dict[str, Path], folders: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    session.end_orphans()
    name = f"{kind}-{os.getpid()}"
    running = control_plane.start(
        folders.mktemp(kind), programs, note=lambda records: session.write(name, records, owned=True)
    )
    _RUNNING[kind] = running
    try:
        yield running
    finally:
        del _RUNNING[kind]
        _FROZEN.discard(kind)
        running.stop()
        session.forget(name)


@pytest.fixture(scope="session")
def native(cluster: ControlPlane) -> Scheduler:
    """The kube-scheduler of the session's control plane."""
    return schedulers.native(cluster)


@pytest.fixture(scope="session")
def lws(cluster: ControlPlane) -> Spanning:
    """LeaderWorkerSet on the session's control plane, for the tests of one process; `namespace` is there."""
    with cluster.components.without("kube-controller-manager"):  # Its garbage collector looks for kinds every 30 s.
        return spanning.start(cluster)


@pytest.fixture(scope="session")
def volcano(request: pytest.FixtureRequest) -> Scheduler:
    """Volcano, on the second control plane; `namespace` is there."""
    return _project("volcano", request)


@pytest.fixture(scope="session")
def kai(request: pytest.FixtureRequest) -> Scheduler:
    """KAI, on the second control plane; `namespace` is there."""
    return _project("kai", request)


@pytest.fixture(params=["native", "volcano", "kai"])
def placer(request: pytest.FixtureRequest) -> Scheduler:
    """Each of the schedulers in turn; `namespace` is where it runs."""
    found: Scheduler = request.getfixturevalue(request.param)
    return found


def _project(name: str, request: pytest.FixtureRequest) -> Scheduler:
    """Start a project's scheduler, or skip before anything else is started for it."""
    if reason := projects.why_no_programs(name) or projects.why_no_definitions(name):
        pytest.skip(reason)
    return schedulers.START[name](request.getfixturevalue("second_cluster"))


@pytest.fixture(scope="session")
def kueue(programs: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kueue]:
    """Kueue, on a control plane of its own that serves the kinds of Volcano and KAI too; `namespace` is there."""
    if reason := admission.why_no_certificate():
        _unavailable(reason)
    for running in _control_plane("kueue", programs, tmp_path_factory):
        projects.define(running.api)
        admission.define(running)
        with running.components.without("kube-controller-manager"):  # Its garbage collector looks for kinds every 30 s.
            found = admission.start(running)
        yield found


@pytest.fixture(params=["default", "native", "volcano", "kai"])
def kueue_placer(request: pytest.FixtureRequest) -> Scheduler:
    """Each of the schedulers in turn, and none of ours, on Kueue's control plane; `namespace` is there."""
    name: str = request.param
    if name in projects.NAMES and (reason := projects.why_no_programs(name) or projects.why_no_definitions(name)):
        pytest.skip(reason)
    found: Kueue = request.getfixturevalue("kueue")
    return found.scheduler(name)


@pytest.fixture
def strict(second_cluster: ControlPlane) -> Callable[[Iterable[Json]], None]:
    """Let the API server judge objects field by field; nothing is stored.

    Of Volcano and KAI it knows the kinds if their definitions are here; else the test is skipped.
    """

    def judge(objects: Iterable[Json]) -> None:
        for manifest in objects:
            project = projects.project_of(manifest)
            if project and (reason := projects.why_no_definitions(project)):
                pytest.skip(reason)
            try:
                projects.validate(second_cluster.api, manifest)
            except (ApiError, LookupError) as error:
                pytest.fail(f"{manifest['kind']}/{manifest['metadata']['name']}: {error}", pytrace=False)

    return judge


@pytest.fixture
def namespace(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Namespace]:
    """A fresh namespace with a node pool of its own; its nodes and what would work on go after the test.

    It is where the test's scheduler or Kueue runs, or on the `second_cluster` that it takes.
    """
    names = [name for name in HOMES if name in request.fixturenames]
    home: Kueue | Scheduler | ControlPlane = request.getfixturevalue(names[0] if names else "cluster")
    cluster = home if isinstance(home, ControlPlane) else home.cluster
    cluster.check()
    fresh = Namespace(cluster, fresh_name(request.node.name), tmp_path)
    yield fresh
    try:
        cluster.check()
    finally:
        fresh.close()


@pytest.fixture
def client_env(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """The environment of client programs: homes of their own, and the test's namespace if it has one."""
    cluster_env = request.getfixturevalue("namespace").env if "namespace" in request.fixturenames else {}
    return isolated(tmp_path, **cluster_env)


@pytest.fixture
def helm3(client_env: dict[str, str]) -> Runner:
    """Helm 3.19."""
    return _helm(3, client_env)


@pytest.fixture
def helm4(client_env: dict[str, str]) -> Runner:
    """Helm 4.3."""
    return _helm(4, client_env)


@pytest.fixture(params=HELMS, ids=lambda major: f"helm{major}")
def helm(request: pytest.FixtureRequest, client_env: dict[str, str]) -> Runner:
    """Both majors of Helm, one after the other."""
    return _helm(request.param, client_env)


@pytest.fixture
def roster(helm: Runner) -> Runner:
    """Our command line, with Helm 3 and with Helm 4."""
    return cli(helm)


@pytest.fixture
def roster4(helm4: Runner) -> Runner:
    """Our command line with Helm 4, where both Helms do the same."""
    return cli(helm4)


@pytest.fixture
def kubectl(client_env: dict[str, str]) -> Runner:
    """Kubectl 1.37."""
    return Runner(client("kubectl"), client_env)


@pytest.fixture(scope="session")
def smg() -> Path:
    """The Python that runs the Shepherd Model Gateway."""
    return _router(routers.SMG)


@pytest.fixture(scope="session")
def sglang_router() -> Path:
    """The Python that runs SGLang's own router."""
    return _router(routers.SGLANG_ROUTER)


@pytest.fixture(scope="session")
def vllm_router() -> Path:
    """The Python that runs vLLM's router in Rust."""
    return _router(routers.VLLM_ROUTER)


@pytest.fixture(scope="session")
def stack_router() -> Path:
    """The router of vLLM's production stack; its tests are skipped where it is not named."""
    try:
        return routers.stack_router()
    except routers.UnavailableError as error:
        pytest.skip(str(error))


def _router(requirement: str) -> Path:
    try:
        return routers.python(requirement)
    except routers.UnavailableError as error:
        _unavailable(str(error))


def _helm(major: int, env: dict[str, str]) -> Runner:
    program = client(HELMS[major])
    return Runner(program, {**env, "HELM_BIN": str(program)}, major)


def client(name: str) -> Path:
    """Return a client program; where it cannot be had, the test is skipped or fails with the reason."""
    if name == NEWEST_HELM3:
        if reason := binaries.why_unavailable():
            _unavailable(f"{name} cannot be built: {reason}")
        return binaries.build(name)[name]
    try:
        return clients.ensure(name)
    except clients.UnavailableError as error:
        _unavailable(str(error))

"""A small importer of FMUs, of FMI 2 and 3, for tests: it loads the library as a tool would.

Both versions have the same face: Unit(path).instance(kind) and the calls of Instance, which
return the status of the standard (OK, DISCARD, ERROR) and collect messages.
"""

import collections
import ctypes as c
import math
import tempfile
import xml.etree.ElementTree as tree
import zipfile
from pathlib import Path

OK, WARNING, DISCARD, ERROR = 0, 1, 2, 3
EXCHANGE, COSIMULATION = "ModelExchange", "CoSimulation"

LOG3 = c.CFUNCTYPE(None, c.c_void_p, c.c_int, c.c_char_p, c.c_char_p)
UPDATE3 = c.CFUNCTYPE(None, c.c_void_p, c.c_double, c.c_bool, c.c_bool, c.c_bool, c.c_bool,
                      c.POINTER(c.c_bool), c.POINTER(c.c_double))
LOG2 = c.CFUNCTYPE(None, c.c_void_p, c.c_char_p, c.c_int, c.c_char_p, c.c_char_p)


class Callbacks2(c.Structure):
    _fields_ = [("logger", LOG2), ("allocate", c.c_void_p), ("release", c.c_void_p),
                ("finished", c.c_void_p), ("environment", c.c_void_p)]


class EventInfo2(c.Structure):
    _fields_ = [("again", c.c_int), ("terminate", c.c_int), ("nominals", c.c_int),
                ("states", c.c_int), ("has_next", c.c_int), ("next", c.c_double)]


# What an event came to, and how a communication step ended.
Event = collections.namedtuple("Event", "status moved ended next")
Ending = collections.namedtuple("Ending", "status event ended early reached")


def doubles(values):
    return (c.c_double * len(values))(*values)


class Unit:
    """An archive, unpacked, with its description and its library."""

    def __init__(self, path):
        self.folder = tempfile.TemporaryDirectory()
        with zipfile.ZipFile(path) as archive:
            self.names = archive.namelist()
            archive.extractall(self.folder.name)
        self.root = tree.parse(Path(self.folder.name) / "modelDescription.xml").getroot()
        self.version = int(self.root.get("fmiVersion")[0])
        self.token = self.root.get("instantiationToken" if self.version == 3 else "guid")
        self.variables = {v.get("name"): v for v in self.root.find("ModelVariables")}
        identifier = self.root.find(EXCHANGE).get("modelIdentifier")
        platform = "x86_64-linux" if self.version == 3 else "linux64"
        self.path = Path(self.folder.name) / "binaries" / platform / f"{identifier}.so"
        self.library = c.CDLL(str(self.path))

    def reference(self, name):
        return int(self.variables[name].get("valueReference"))

    def typed(self, name):
        """The element that start, unit and derivative stand in."""
        variable = self.variables[name]
        return variable if self.version == 3 else variable.find("Real")

    def states(self):
        """Names of the continuous states, in their order."""
        by_place = list(self.variables)
        structure = self.root.find("ModelStructure")
        if self.version == 3:
            names = {self.reference(name): name for name in by_place}
            unknowns = [names[int(d.get("valueReference"))]
                        for d in structure.findall("ContinuousStateDerivative")]
            return [names[int(self.typed(u).get("derivative"))] for u in unknowns]
        unknowns = [by_place[int(d.get("index")) - 1]
                    for d in structure.find("Derivatives")]
        return [by_place[int(self.typed(u).get("derivative")) - 1] for u in unknowns]

    def instance(self, kind, token=None, logging=False, **options):
        version = Instance3 if self.version == 3 else Instance2
        return version(self, kind, token, logging, **options)

    def dependencies(self):
        """For each unknown of the structure the names of what it depends on."""
        names = list(self.variables)
        if self.version == 3:
            by_reference = {self.reference(name): name for name in names}
            rows = [(by_reference[int(u.get("valueReference"))],
                     [by_reference[int(k)] for k in u.get("dependencies").split()])
                    for u in self.root.find("ModelStructure") if u.tag != "InitialUnknown"]
        else:
            parts = [self.root.find("ModelStructure").find(part)
                     for part in ("Outputs", "Derivatives")]
            rows = [(names[int(u.get("index")) - 1],
                     [names[int(k) - 1] for k in u.get("dependencies").split()])
                    for part in parts for u in part]
        return dict(rows)

    def indicators(self):
        """How many event indicators there are."""
        if self.version == 2:
            return int(self.root.get("numberOfEventIndicators"))
        return len(self.root.find("ModelStructure").findall("EventIndicator"))


class Instance:
    def __init__(self, unit):
        self.unit = unit
        self.messages = []
        self.count = len(unit.states())

    def call(self, name, *arguments):
        function = self.unit.library[f"fmi{self.unit.version}{name}"]
        function.restype = c.c_int
        return function(self.handle, *arguments)

    def free(self):
        function = self.unit.library[f"fmi{self.unit.version}FreeInstance"]
        function.restype = None
        function(self.handle)
        self.handle = None

    def references(self, names):
        numbers = [n if isinstance(n, int) else self.unit.reference(n) for n in names]
        return (c.c_uint32 * len(numbers))(*numbers)

    def leave(self):
        return self.call("ExitInitializationMode")

    def continuous(self):
        return self.call("EnterContinuousTimeMode")

    def enter_event(self):
        return self.call("EnterEventMode")

    def terminate(self):
        return self.call("Terminate")

    def reset(self):
        return self.call("Reset")

    def set_time(self, t):
        return self.call("SetTime", c.c_double(t))

    def set_states(self, x):
        return self.call("SetContinuousStates", doubles(x), c.c_size_t(len(x)))

    def read(self, function, count=None):
        count = self.count if count is None else count
        values = doubles([0.0] * count)
        status = self.call(function, values, c.c_size_t(count))
        return status, list(values)

    def derive(self, unknowns, knowns, seed):
        """How unknowns change along a direction."""
        changes = doubles([0.0] * len(unknowns))
        counts = [c.c_size_t(len(names)) for names in (unknowns, knowns)]
        end = [changes] if self.unit.version == 2 else [counts[1], changes, counts[0]]
        status = self.call("GetDirectionalDerivative", self.references(unknowns), counts[0],
                           self.references(knowns), counts[1], doubles(seed), *end)
        return status, list(changes)

    def indicators(self):
        return self.read("GetEventIndicators", self.unit.indicators())


    def states(self):
        return self.read("GetContinuousStates")

    def nominals(self):
        return self.read("GetNominalsOfContinuousStates")

    def save(self, state=None):
        state = state or c.c_void_p()
        return self.call(self.word("GetFMU", "tate"), c.byref(state)), state

    def restore(self, state):
        return self.call(self.word("SetFMU", "tate"), state)

    def free_state(self, state):
        return self.call(self.word("FreeFMU", "tate"), c.byref(state))

    def serialize(self, state):
        size = c.c_size_t()
        assert self.call(self.word("SerializedFMU", "tateSize"), state, c.byref(size)) == OK
        data = (c.c_ubyte * size.value)()
        assert self.call(self.word("SerializeFMU", "tate"), state, data, size) == OK
        return bytes(data)

    def deserialize(self, data):
        state = c.c_void_p()
        name = "DeserializeFMUState" if self.unit.version == 3 else "DeSerializeFMUstate"
        buffer = (c.c_ubyte * len(data)).from_buffer_copy(data)
        return self.call(name, buffer, c.c_size_t(len(data)), c.byref(state)), state

    def word(self, begin, end):
        return begin + ("S" if self.unit.version == 3 else "s") + end


class Instance3(Instance):
    def __init__(self, unit, kind, token, logging, events=False, early=False, update=None):
        super().__init__(unit)
        self.intermediate = update and UPDATE3(update)
        self.log = LOG3(lambda _, status, category, text:
                        self.messages.append((category.decode(), text.decode())))
        function = unit.library[f"fmi3Instantiate{kind}"]
        function.restype = c.c_void_p
        begin = [b"unit", (token or unit.token).encode(), None, c.c_bool(False),
                 c.c_bool(logging)]
        if kind == COSIMULATION:
            begin += [c.c_bool(events), c.c_bool(early), None, c.c_size_t(0)]
        end = [None, self.log] + ([self.intermediate] if kind == COSIMULATION else [])
        handle = function(*begin, *end)
        self.handle = c.c_void_p(handle) if handle else None

    def enter(self, start=0.0, stop=None, tolerance=None):
        return self.call("EnterInitializationMode", c.c_bool(tolerance is not None),
                         c.c_double(tolerance or 0), c.c_double(start),
                         c.c_bool(stop is not None), c.c_double(stop or 0))

    def get(self, *names):
        values = doubles([0.0] * len(names))
        status = self.call("GetFloat64", self.references(names), c.c_size_t(len(names)),
                           values, c.c_size_t(len(names)))
        return status, list(values)

    def set(self, **values):
        return self.set_all(values)

    def set_all(self, values):
        return self.call("SetFloat64", self.references(values), c.c_size_t(len(values)),
                         doubles(list(values.values())), c.c_size_t(len(values)))

    def derivatives(self):
        return self.read("GetContinuousStateDerivatives")

    def update(self):
        flags = [c.c_bool() for _ in range(5)]
        time = c.c_double()
        status = self.call("UpdateDiscreteStates", *map(c.byref, flags), c.byref(time))
        assert not flags[0].value and not flags[2].value
        return Event(status, flags[3].value, flags[1].value,
                     time.value if flags[4].value else math.inf)

    def completed(self):
        flags = c.c_bool(), c.c_bool()
        status = self.call("CompletedIntegratorStep", c.c_bool(True), *map(c.byref, flags))
        return status, flags[0].value

    def step(self, t, h):
        return self.end_step(t, h).status

    def end_step(self, t, h):
        flags = [c.c_bool() for _ in range(3)]
        reached = c.c_double()
        status = self.call("DoStep", c.c_double(t), c.c_double(h), c.c_bool(True),
                           *map(c.byref, flags), c.byref(reached))
        return Ending(status, *(flag.value for flag in flags), reached.value)


class Instance2(Instance):
    def __init__(self, unit, kind, token, logging):
        super().__init__(unit)
        self.log = LOG2(lambda _, name, status, category, text:
                        self.messages.append((category.decode(), text.decode())))
        self.callbacks = Callbacks2(self.log, None, None, None, None)
        function = unit.library["fmi2Instantiate"]
        function.restype = c.c_void_p
        handle = function(b"unit", int(kind == COSIMULATION), (token or unit.token).encode(),
                          b"", c.byref(self.callbacks), 0, int(logging))
        self.handle = c.c_void_p(handle) if handle else None

    def enter(self, start=0.0, stop=None, tolerance=None):
        status = self.call("SetupExperiment", int(tolerance is not None),
                           c.c_double(tolerance or 0), c.c_double(start),
                           int(stop is not None), c.c_double(stop or 0))
        return status or self.call("EnterInitializationMode")

    def get(self, *names):
        values = doubles([0.0] * len(names))
        status = self.call("GetReal", self.references(names), c.c_size_t(len(names)), values)
        return status, list(values)

    def set(self, **values):
        return self.set_all(values)

    def set_all(self, values):
        return self.call("SetReal", self.references(values), c.c_size_t(len(values)),
                         doubles(list(values.values())))

    def derivatives(self):
        return self.read("GetDerivatives")

    def update(self):
        info = EventInfo2()
        status = self.call("NewDiscreteStates", c.byref(info))
        assert not info.again and not info.nominals
        return Event(status, bool(info.states), bool(info.terminate),
                     info.next if info.has_next else math.inf)

    def completed(self):
        flags = c.c_int(), c.c_int()
        status = self.call("CompletedIntegratorStep", 1, *map(c.byref, flags))
        return status, bool(flags[0].value)

    def step(self, t, h):
        return self.call("DoStep", c.c_double(t), c.c_double(h), 1)

    def end_step(self, t, h):
        status = self.step(t, h)
        ended, reached = c.c_int(), c.c_double()
        self.call("GetBooleanStatus", 3, c.byref(ended))
        self.call("GetRealStatus", 2, c.byref(reached))
        return Ending(status, False, bool(ended.value), reached.value < t + h, reached.value)


def simulate_steps(instance, until, h):
    """Co-simulation from 0, initialized, in communication steps of size h."""
    count = round(until / h)
    for k in range(count):
        assert instance.step(k * h, until - k * h if k == count - 1 else h) == OK, \
            instance.messages


def rate(instance, t, x):
    assert instance.set_time(t) == OK and instance.set_states(x) == OK, instance.messages
    status, values = instance.derivatives()
    assert status == OK, instance.messages
    return values


def handle_event(instance):
    """Event mode, back to continuous time; what the event came to, and the states then."""
    event = instance.update()
    assert event.status == OK, instance.messages
    assert instance.continuous() == OK
    return event, instance.states()[1]


def advance(instance, t, x, h):
    """One step of Runge and Kutta's method; the instance is then at its end."""
    k1 = rate(instance, t, x)
    k2 = rate(instance, t + h / 2, [a + h / 2 * b for a, b in zip(x, k1)])
    k3 = rate(instance, t + h / 2, [a + h / 2 * b for a, b in zip(x, k2)])
    k4 = rate(instance, t + h, [a + h * b for a, b in zip(x, k3)])
    x = [a + h / 6 * (p + 2 * q + 2 * r + s) for a, p, q, r, s in zip(x, k1, k2, k3, k4)]
    assert instance.set_time(t + h) == OK and instance.set_states(x) == OK
    return x


def sides(instance):
    """The signs of the event indicators."""
    status, values = instance.indicators()
    assert status == OK, instance.messages
    return [value > 0 for value in values]


def advance_to_crossing(instance, t, x, h):
    """The same, but where an indicator changes sign to right behind the first such place."""
    before = sides(instance)
    end = advance(instance, t, x, h)
    if sides(instance) == before:
        return h, end, False
    low = 0.0
    while h - low > 1e-14:
        middle = (low + h) / 2
        advance(instance, t, x, middle)
        low, h = (middle, h) if sides(instance) == before else (low, middle)
    return h, advance(instance, t, x, h), True


def simulate_exchange(instance, until, h):
    """Model exchange from 0 by Runge and Kutta's method; how many events there were."""
    events = 0
    t = 0.0
    event, x = handle_event(instance)
    while until - t > 1e-12 and not event.ended:
        end = min(until, event.next, (math.floor(t / h + 1e-9) + 1) * h)
        used, x, crosses = advance_to_crossing(instance, t, x, end - t)
        t = t + used if crosses else end
        status, wanted = instance.completed()
        assert status == OK
        if wanted or crosses or t >= event.next:
            events += 1
            assert instance.set_time(t) == OK and instance.enter_event() == OK
            event, x = handle_event(instance)
    return events

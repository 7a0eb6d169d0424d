// What is known of the system and of the run, in words and tables.

import { make, table } from './dom.js';
import { count, number, unit, withUnit } from './format.js';

const MOST = 60; // rows of a table before the rest is folded away
const ALL = 2000; // rows of a table: a page with a hundred thousand would not be read, nor answer

function section(title, ...content) {
  return make('section', { className: 'card' }, make('h2', {}, title), ...content);
}

// A table with a row for each item, of which those beyond some are folded away, and those beyond
// many counted.
function longTable(headings, items, rowOf = (row) => row) {
  const rest = items.slice(MOST, ALL);
  const parts = [table(headings, items.slice(0, MOST).map(rowOf))];
  if (rest.length > 0) {
    const summary = make('summary', {}, `${rest.length} more`);
    parts.push(make('details', {}, summary, table(headings, rest.map(rowOf))));
  }
  if (items.length > ALL) {
    const words = `${items.length - ALL} more are not listed.`;
    parts.push(make('p', { className: 'muted' }, words));
  }
  return parts;
}

// Events that release and engage constraints make other phases than that of the start.
function freedom({ configuration_freedom: q, velocity_freedom: v }, phases) {
  const text =
    q === v
      ? count(q, 'degree') + ' of freedom'
      : `${count(q, 'degree')} of freedom of the configuration, ${v} of the velocity`;
  return phases ? `${text} at the start` : text;
}

function kinds(constraints) {
  const words = [...new Set(constraints.map(({ kind }) => kind))];
  return words.join(', ');
}

/** One line on what the system is. */
export function summary({ check }) {
  const { counts, constraints } = check;
  const parts = [count(counts.coordinates, 'coordinate')];
  parts.push(
    constraints.length > 0
      ? `${count(counts.constraints, 'constraint')} (${kinds(constraints)})`
      : 'no constraints',
  );
  parts.push(freedom(counts, check.phases));
  if (counts.rank < counts.constraints) {
    parts.push(`rank ${counts.rank}: ${counts.constraints - counts.rank} redundant`);
  }
  parts.push(check.unique ? 'the motion is unique' : 'the motion is not unique');
  return parts.join(' · ');
}

function constraintRow(check, { name, level, kind, time_dependent: moving, at }) {
  const unique = check.unique_reaction[name];
  const force = unique === undefined ? '–' : unique ? 'unique' : 'not unique';
  return [name, kind, level, moving ? 'yes' : 'no', force, at];
}

function sentences(check) {
  const sets = check.dependent_sets;
  const list = sets
    .slice(0, MOST)
    .map((set) => `These constraints depend on each other: ${set.join(', ')}.`);
  if (sets.length > MOST) {
    list.push(`${sets.length - MOST} more sets of constraints depend on each other.`);
  }
  if (check.indeterminate.length > 0) {
    list.push(
      `Accelerations that nothing determines: ${check.indeterminate.join(', ')}.`,
    );
  }
  list.push(
    check.conserved.length > 0
      ? `Conserved: ${check.conserved.join(', ')}.`
      : 'Nothing is known to be conserved.',
  );
  return [...list, ...check.warnings];
}

/** Fill the section about the system. */
export function showSystem(element, { check }) {
  const headings = ['Constraint', 'kind', 'level', 'time-dependent', 'reaction', 'in'];
  const rowOf = (constraint) => constraintRow(check, constraint);
  const list = check.constraints;
  element.append(
    make('h2', {}, 'System'),
    ...(list.length > 0 ? longTable(headings, list, rowOf) : []),
    ...sentences(check).map((text) => make('p', {}, text)),
  );
}

function parameters({ parameters: list }) {
  const rowOf = ({ name, value, unit: text, overridden }) => [
    name,
    number(value, 10),
    unit(text),
    overridden ? 'given for this run' : '',
  ];
  return list.length > 0
    ? [section('Parameters', ...longTable(['Name', 'value', 'unit', ''], list, rowOf))]
    : [];
}

function startState({ columns, check, rows: n }) {
  const positions = columns.filter(({ kind }) => kind === 'position');
  const velocities = columns.filter(({ kind }) => kind === 'velocity');
  const { moved } = check.start;
  const cell = (column) => {
    const shift = moved[column.name];
    const value = n > 0 ? number(column.data[0], 9) : '–';
    return shift ? `${value} (moved by ${number(shift, 3)})` : value;
  };
  const others = columns.filter(({ kind }) => kind === 'state' || kind === 'hold');
  const pairs = positions.map((column, i) => [column, velocities[i]]);
  const rowOf = ([column, velocity]) => [
    withUnit(column.name, column.unit),
    cell(column),
    velocity ? cell(velocity) : '',
  ];
  const list = pairs.concat(others.map((each) => [each]));
  const headings = ['Coordinate', 'position', 'velocity'];
  return section('Start', ...longTable(headings, list, rowOf));
}

// What the run says about itself in numbers; the work on the system follows its energy.
function statisticRows({ columns, statistics, rows }) {
  const works = columns.filter(({ kind }) => kind === 'work');
  return statistics.flatMap(({ name, label, value, rough, visible }) => [
    ...(visible ? [[label, number(value, rough ? 3 : 10)]] : []),
    ...(name === 'energy_final'
      ? works.map((work) => [work.name, number(work.data[rows - 1], 10)])
      : []),
  ]);
}

function statistics(run) {
  const { statistics: list, options: o, constants } = run;
  const stiff = list.some(({ name, value }) => name === 'stiff' && value);
  const drifts = constants.filter(({ name }) => name !== 'energy');
  return section(
    'Run',
    ...longTable(
      ['What', ''],
      [
        ['time', `${number(o.from)} … ${number(o.until)}, every ${number(o.every)}`],
        ['method', `${o.method}${stiff ? ' (stiff at the end)' : ''}`],
        ['drift', o.drift],
        ['tolerances', `rtol ${number(o.rtol)}, atol ${number(o.atol)}`],
        ...statisticRows(run),
        ...drifts.map(({ name, drift }) => [`change of ${name}`, number(drift, 3)]),
        ['computing time', `${number(run.seconds, 3)} s`],
      ],
    ),
  );
}

function happenings({ incidents }, clock) {
  if (incidents.length === 0) {
    return [];
  }
  const rowOf = ({ t, text }) => [
    make('button', { className: 'link', onclick: () => clock.set(t) }, number(t, 9)),
    text,
  ];
  return [
    section('On the way', ...longTable(['t', 'what happened'], incidents, rowOf)),
  ];
}

/** Fill the part with parameters, start, events and statistics. */
export function showFacts(element, run, clock) {
  element.append(
    ...happenings(run, clock),
    ...parameters(run),
    startState(run),
    statistics(run),
  );
}

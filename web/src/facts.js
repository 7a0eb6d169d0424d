// What is known of the system and of the run, in words and tables.

import { make, table } from './dom.js';
import { count, number, unit, withUnit } from './format.js';

const MOST = 60; // rows of a table before the rest is folded away

function section(title, ...content) {
  return make('section', { className: 'card' }, make('h2', {}, title), ...content);
}

// A table whose rows beyond some are folded away.
function longTable(headings, rows) {
  const rest = rows.slice(MOST);
  const parts = [table(headings, rows.slice(0, MOST))];
  if (rest.length > 0) {
    const summary = make('summary', {}, `${rest.length} more`);
    parts.push(make('details', {}, summary, table(headings, rest)));
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
  const list = [];
  for (const set of check.dependent_sets) {
    list.push(`These constraints depend on each other: ${set.join(', ')}.`);
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
  const rows = check.constraints.map((constraint) => constraintRow(check, constraint));
  element.append(
    make('h2', {}, 'System'),
    ...(rows.length > 0 ? longTable(headings, rows) : []),
    ...sentences(check).map((text) => make('p', {}, text)),
  );
}

function parameters({ parameters: list }) {
  const rows = list.map(({ name, value, unit: text, overridden }) => [
    name,
    number(value, 10),
    unit(text),
    overridden ? 'given for this run' : '',
  ]);
  return rows.length > 0
    ? [section('Parameters', ...longTable(['Name', 'value', 'unit', ''], rows))]
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
  const rows = positions.map((column, i) => [
    withUnit(column.name, column.unit),
    cell(column),
    cell(velocities[i]),
  ]);
  const others = columns.filter(({ kind }) => kind === 'state' || kind === 'hold');
  rows.push(...others.map((each) => [withUnit(each.name, each.unit), cell(each), '']));
  return section('Start', ...longTable(['Coordinate', 'position', 'velocity'], rows));
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
  const rows = incidents.map(({ t, text }) => [
    make('button', { className: 'link', onclick: () => clock.set(t) }, number(t, 9)),
    text,
  ]);
  return [section('On the way', ...longTable(['t', 'what happened'], rows))];
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

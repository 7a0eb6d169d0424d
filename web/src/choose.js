// Which plots to show: those that the model asks for, or the usual ones.

import { markedName } from './format.js';

const MOST = 8; // curves of one plot

function curveOf(columns, index) {
  const { name, unit } = columns[index];
  return { label: markedName(name, columns[index]), unit, column: index };
}

function ofKind(columns, kind) {
  return columns.flatMap((column, i) => (column.kind === kind ? [i] : []));
}

function isAlive({ data }) {
  return data.some((value) => value !== 0 && !Number.isNaN(value));
}

// Curves of one unit go together.
function byUnit(columns, indices) {
  const groups = new Map();
  for (const i of indices) {
    const unit = columns[i].unit;
    groups.set(unit, [...(groups.get(unit) ?? []), i]);
  }
  return [...groups.values()].map((group) => group.slice(0, MOST));
}

function plotOf(columns, title, indices) {
  return { title, curves: indices.map((i) => curveOf(columns, i)) };
}

function coordinatePlots(columns) {
  return byUnit(columns, ofKind(columns, 'position')).map((group) =>
    plotOf(columns, 'Coordinates', group),
  );
}

function reactionPlot(columns) {
  const reactions = ofKind(columns, 'reaction').filter((i) => isAlive(columns[i]));
  return reactions.length > 0
    ? [plotOf(columns, 'Constraint forces (multipliers)', reactions.slice(0, MOST))]
    : [];
}

function energyPlot(columns) {
  return [plotOf(columns, 'Energy T + V', ofKind(columns, 'energy'))];
}

// How much the energy changed, in a column of its own in which changes can be seen however
// small they are, beside the work that changed it.
function energyChangePlot(columns) {
  const [energy] = ofKind(columns, 'energy').map((i) => columns[i]);
  const works = ofKind(columns, 'work').filter((i) => isAlive(columns[i]));
  const data = energy.data.map((value) => value - energy.data[0]);
  const name = 'energy() − energy() at the start';
  const index = columns.push({ name, unit: energy.unit, kind: 'derived', data }) - 1;
  const title = `Change of energy T + V${works.length > 0 ? ', and work' : ''}`;
  return [plotOf(columns, title, [index, ...works].slice(0, MOST))];
}

// How well the run kept what it should: shown on a scale of powers of ten.
function errorPlot(columns) {
  const errors = ofKind(columns, 'error').filter((i) => isAlive(columns[i]));
  return errors.length > 0
    ? [{ ...plotOf(columns, 'Constraint error', errors), logarithmic: true }]
    : [];
}

function titleOf(plot) {
  const names = plot.curves.map((curve) => curve.label).join(', ');
  return plot.against ? `${names} against ${plot.against.label}` : names;
}

/** The plots of a run: `asked` or the usual ones, and `checks` of its quality. */
export function choosePlots({ plots, columns }) {
  const checks = [...energyChangePlot(columns), ...errorPlot(columns)];
  if (plots.length > 0) {
    const asked = plots.map((plot) => ({
      ...plot,
      title: titleOf(plot),
      curves: plot.curves.map((curve) => ({
        ...curve,
        label: markedName(curve.label, columns[curve.column]),
      })),
    }));
    return { asked, checks };
  }
  const asked = [
    ...coordinatePlots(columns),
    ...reactionPlot(columns),
    ...energyPlot(columns),
  ];
  return { asked, checks };
}

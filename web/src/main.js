// A report: reads the run that the page holds and shows it.

import { actionButtons, csvOf } from './actions.js';
import { choosePlots } from './choose.js';
import { Clock } from './clock.js';
import { byId, make } from './dom.js';
import { showFacts, showSystem, summary } from './facts.js';
import { PhasePlot } from './phaseplot.js';
import { showPlayer } from './player.js';
import { preparePrinting } from './print.js';
import { readRun } from './run.js';
import { followSystem, themeButton } from './theme.js';
import { TimePlot } from './timeplot.js';

const MOST_PLOTS = 40;

// More would keep a browser busy for long; their numbers are in the data.
function tellRest(parent, count) {
  if (count > 0) {
    const text = `${count} more plots are not shown; their data can be saved.`;
    parent.append(make('p', { className: 'muted' }, text));
  }
}

function makePlots(parent, plots, { run, clock, group }) {
  const made = plots.map((plot) =>
    plot.against
      ? new PhasePlot({ run, plot, clock })
      : new TimePlot({ run, plot, clock, group, marks: run.incidents }),
  );
  parent.append(...made.map(({ element }) => element));
  made.forEach((plot) => plot.start());
  return made;
}

// Checks of the run's quality come before the system.
function showChecks(plots, context) {
  const box = make('div', { className: 'plots' });
  const heading = make('h2', {}, 'Quality of the run');
  const section = make('section', { className: 'checks' }, heading, box);
  byId('system').before(section);
  return makePlots(box, plots, context);
}

function showRun(run) {
  const clock = new Clock(run.time[0], run.time[run.rows - 1]);
  const context = { run, clock, group: [] };
  const { asked, checks } = choosePlots(run);
  byId('motion').classList.toggle('with-stage', run.drawings.length > 0);
  const scene = run.drawings.length > 0 ? showPlayer(byId('stage'), run, clock) : null;
  const plots = makePlots(byId('plots'), asked.slice(0, MOST_PLOTS), context);
  tellRest(byId('plots'), Math.max(0, asked.length - MOST_PLOTS) + run.plots_left_out);
  plots.push(...showChecks(checks, context));
  showFacts(byId('facts'), run, clock);
  preparePrinting(() => {
    plots.forEach((plot) => plot.resize());
    scene?.resize(false);
  });
  return { clock, plots, scene };
}

function show() {
  followSystem();
  const run = readRun(byId('data').textContent);
  byId('summary').textContent = summary(run);
  byId('actions').append(...actionButtons(run), themeButton());
  showSystem(byId('system'), run);
  const shown = run.rows > 0 ? showRun(run) : {};
  // For scripts that look at a report, such as the tests.
  globalThis.kalaba = { run, csv: () => csvOf(run), ...shown };
}

show();

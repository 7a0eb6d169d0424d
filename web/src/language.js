// The words of the model language for colors, and what statements are for.  Names, and the words
// that can be completed, come from the server's lexer.

import { StreamLanguage } from '@codemirror/language';

export const STATEMENTS = {
  model: 'the title: model "Pendulum"',
  param: 'a constant: param m = 1 [kg]',
  coord: 'coordinates: coord x [m], y [m]',
  let: 'a name for a formula: let P = [x, y]',
  fn: 'a function: fn f(x) = x^2',
  kinetic: 'adds to the kinetic energy',
  potential: 'adds to the potential energy',
  dissipation: "Rayleigh's dissipation function",
  power: 'power of non-conservative forces',
  force: 'a generalized force: force x = -k*x',
  mass: 'an entry of the mass matrix: mass[x, y] = m',
  constraint: 'constraint rod: x^2 + y^2 = L^2',
  nonideal: 'non-ideal part of the constraint force',
  prescribe: 'drives a coordinate: prescribe a = sin(t)',
  actuator: "an input: actuator u: theta'",
  servo: 'met by the actuators: servo s: x = 1, rate = 5',
  init: "start values: init x = 1, x' ~ 0",
  simulate: 'simulate 0 .. 10 every 0.01',
  output: 'a result column: output T = reaction(rod)',
  event: 'event e: x falling stop',
  plot: 'plot x, y or plot y against x',
  draw: 'draw line [0, 0] -> [x, y]',
  for: 'repeats statements: for i in 1..N { … }',
  component: 'component Link(L) { … }',
  part: 'an instance: part a = Link(L = 1)',
  use: 'use planar, or use "file.kal"',
  state: "a first-order state: state i [A]: i' = (u - R*i)/L",
  hold: 'a value that is renewed: hold u every 0.1: -k*x',
  table: 'a function from data: table f = [0, 1, 2], [0, 5, 3]',
  contact: 'one-sided: contact floor: y >= 0, restitution = 0.5',
  friction: "dry friction: friction belt: x' - v, limit = 2",
};

const FUNCTIONS = [
  ...['sqrt', 'sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'atan2', 'sinh', 'cosh'],
  ...['tanh', 'exp', 'log', 'abs', 'sign', 'min', 'max', 'hypot', 'floor', 'ceil'],
  ...['mod', 'erf', 'if', 'sum', 'dot', 'cross', 'norm', 'transpose', 'reaction'],
  ...['cforce', 'drive', 'control', 'energy', 'active', 'demand', 'gap', 'friction'],
  'sticks',
];

const WORDS = new Set([
  ...['contact', 'friction', 'static', 'slip', 'restitution', 'outside'],
  ...['every', 'stop', 'set', 'release', 'engage', 'rising', 'falling', 'against'],
  ...['line', 'circle', 'box', 'spring', 'path', 'radius', 'size', 'angle', 'in'],
  ...[
    'rate',
    'limit',
    'law',
    'off',
    'rtol',
    'atol',
    'method',
    'drift',
    'and',
    'or',
    'not',
  ],
]);
const CALLS = new Set(FUNCTIONS);
const NUMBER = /^(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?/;
const NAME = /^[\p{L}_][\p{L}\p{N}_]*'*/u;
// What stands in brackets behind a number or a name on its own is a unit.
const UNIT = /^\[[\p{L}%*/^\d\s().-]+\](?=\s*(#|,|$|=|;|:))/u;

function readWord(stream, state, word) {
  const first = state.first;
  state.first = false;
  if (first && Object.hasOwn(STATEMENTS, word)) {
    return 'keyword';
  }
  if (WORDS.has(word)) {
    return 'modifier';
  }
  if (CALLS.has(word) && stream.match(/^\s*\(/, false)) {
    return 'variableName.function';
  }
  return word === 'pi' || word === 't' ? 'atom' : 'variableName';
}

/** Colors for the language. */
export const kalaba = StreamLanguage.define({
  name: 'kalaba',
  startState: () => ({ first: true }),
  token(stream, state) {
    if (stream.sol()) {
      state.first = true;
    }
    if (stream.eatSpace()) {
      return null;
    }
    if (stream.peek() === '#') {
      stream.skipToEnd();
      return 'comment';
    }
    if (stream.match(/^"[^"]*"?/)) {
      return 'string';
    }
    if (!state.first && stream.match(UNIT)) {
      return 'unit';
    }
    if (!stream.match(/^\.\./, false) && stream.match(NUMBER)) {
      state.first = false;
      return 'number';
    }
    const word = stream.match(NAME);
    if (word) {
      return readWord(stream, state, word[0].replace(/'+$/, ''));
    }
    const sign = stream.next();
    state.first = sign === ';' || sign === '{' || sign === '}';
    return /[-+*/^=~<>]/.test(sign) ? 'operator' : null;
  },
  languageData: {
    commentTokens: { line: '#' },
    closeBrackets: { brackets: ['(', '[', '{'] },
  },
});

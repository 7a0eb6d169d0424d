// The words of the model language for colors.  What can be completed, and what it is, the server
// knows.

import { StreamLanguage } from '@codemirror/language';

const STATEMENTS = new Set([
  ...['model', 'param', 'coord', 'let', 'fn', 'kinetic', 'potential', 'dissipation'],
  ...[
    'power',
    'force',
    'mass',
    'constraint',
    'nonideal',
    'prescribe',
    'actuator',
    'servo',
  ],
  ...['init', 'simulate', 'output', 'event', 'plot', 'draw', 'for', 'component'],
  ...['part', 'use', 'state', 'hold', 'table', 'contact', 'friction'],
]);

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
  const { first, member } = state;
  state.first = false;
  if (member) {
    return 'variableName'; // a name of a part, whatever it is elsewhere
  }
  if (first && STATEMENTS.has(word)) {
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
  startState: () => ({ first: true, member: false }),
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
      const color = readWord(stream, state, word[0].replace(/'+$/, ''));
      state.member = false;
      return color;
    }
    // What follows the point of `part.name`; two of them are a range.
    state.member = /[\p{L}\p{N}_'\])]\.$/u.test(stream.string.slice(0, stream.pos + 1));
    const sign = stream.next();
    state.first = sign === ';' || sign === '{' || sign === '}';
    return /[-+*/^=~<>]/.test(sign) ? 'operator' : null;
  },
  languageData: {
    commentTokens: { line: '#' },
    closeBrackets: { brackets: ['(', '[', '{'] },
  },
});

// The grammar for Tree-sitter: every model of ours is a text of it, and what the queries name is
// there.
//
//     node test_grammar.mjs PROGRAM ROOT
//
// Grammars are read as context-free ones, by Earley's method on characters: J. Earley, An
// efficient context-free parsing algorithm, 1970.  Whether Tree-sitter's generator takes the
// grammar without conflicts is not tried here.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const [, , PROGRAM, ROOT] = process.argv;
const FOLDER = path.join(ROOT, 'editors', 'tree-sitter');

// The words of the notation.  A rule is a list of alternatives, each a list of items, which are
// terminals or the names of rules: { terminal } or { ref }.

let fresh = 0;
const rules = new Map();

function name(alternatives) {
  const ref = `#${fresh++}`;
  rules.set(ref, alternatives);
  return { ref };
}

const normal = (rule) =>
  rule instanceof RegExp || typeof rule === 'string' ? { terminal: rule } : rule;
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const source = (rule) =>
  rule.terminal instanceof RegExp ? rule.terminal.source : escaped(rule.terminal);

const notation = {
  seq: (...items) => name([items.map(normal)]),
  choice: (...items) => name(items.map((item) => [normal(item)])),
  optional: (item) => name([[normal(item)], []]),
  repeat: (item) => {
    const own = name([]);
    rules.set(own.ref, [[], [own, normal(item)]]);
    return own;
  },
  repeat1: (item) => notation.seq(item, notation.repeat(item)),
  field: (_, item) => normal(item),
  token: (item) => {
    const rule = normal(item);
    return rule.terminal === undefined
      ? { terminal: new RegExp(rules.get(rule.ref)[0].map(source).join(''), 'u') }
      : rule;
  },
  prec: (_, item) => normal(item),
  grammar: (description) => description,
};
notation.prec.left = (_, item) => normal(item);
notation.prec.right = (_, item) => normal(item);
notation.token.immediate = (item) => ({ ...normal(item), immediate: true });

function load() {
  const module = { exports: null };
  const code = readFileSync(path.join(FOLDER, 'grammar.js'), 'utf8');
  new Function('module', ...Object.keys(notation), code)(
    module,
    ...Object.values(notation),
  );
  const $ = new Proxy({}, { get: (_, key) => ({ ref: key }) });
  for (const [key, rule] of Object.entries(module.exports.rules)) {
    rules.set(key, [[normal(rule($))]]);
  }
  return Object.keys(module.exports.rules);
}

// A terminal as an expression that matches at a place; words do not end within a name.
const compiled = new Map();
function matcher(terminal) {
  if (!compiled.has(terminal)) {
    const isRegExp = terminal instanceof RegExp;
    const text = isRegExp ? terminal.source : escaped(terminal);
    const isWord = !isRegExp && /^[a-z]+$/.test(terminal);
    const end = isWord ? '(?![\\p{L}\\p{N}_])' : '';
    compiled.set(terminal, new RegExp(text + end, 'uy'));
  }
  return compiled.get(terminal);
}

const SPACE = /(?:[\s\uFEFF]|#[^\n]*)*/uy;

function matchAt(expression, text, at) {
  expression.lastIndex = at;
  const found = expression.exec(text);
  return found ? at + found[0].length : -1;
}

// Items are [head, alternative, dot, origin]; a set of them for each place that was reached.
class Chart {
  constructor(text) {
    this.text = text;
    this.sets = new Map();
    this.places = [];
  }

  add(at, head, items, dot, origin) {
    let set = this.sets.get(at);
    if (!set) {
      set = { list: [], known: new Set(), waiting: new Map(), done: new Map() };
      this.sets.set(at, set);
      this.places.push(at);
    }
    const key = `${head}|${rules.get(head).indexOf(items)}|${dot}|${origin}`;
    if (!set.known.has(key)) {
      set.known.add(key);
      set.list.push({ head, items, dot, origin });
    }
  }

  complete(at, set, { head, origin }) {
    const from = this.sets.get(origin);
    if (origin === at) {
      set.done.set(head, true);
    }
    for (const each of [...(from.waiting.get(head) ?? [])]) {
      this.add(at, each.head, each.items, each.dot + 1, each.origin);
    }
  }

  predict(at, set, state, wanted) {
    if (!set.waiting.has(wanted)) {
      set.waiting.set(wanted, []);
    }
    set.waiting.get(wanted).push(state);
    for (const items of rules.get(wanted)) {
      this.add(at, wanted, items, 0, at);
    }
    if (set.done.has(wanted)) {
      this.add(at, state.head, state.items, state.dot + 1, state.origin);
    }
  }

  scan(at, state, { terminal, immediate }) {
    const from = immediate ? at : matchAt(SPACE, this.text, at);
    const end = matchAt(matcher(terminal), this.text, from);
    if (end > from) {
      this.add(end, state.head, state.items, state.dot + 1, state.origin);
    }
  }

  // Whether all of the text is one of the grammar; else how far it can be one.
  read(start) {
    for (const items of rules.get(start)) {
      this.add(0, start, items, 0, 0);
    }
    let last = 0;
    while (this.places.length > 0) {
      const at = Math.min(...this.places);
      const set = this.sets.get(at);
      this.places = this.places.filter((place) => place !== at);
      for (let i = 0; i < set.list.length; i++) {
        const state = set.list[i];
        const next = state.items[state.dot];
        if (next === undefined) {
          this.complete(at, set, state);
        } else if (next.ref) {
          this.predict(at, set, state, next.ref);
        } else {
          this.scan(at, state, next);
        }
      }
      last = at;
    }
    const whole = matchAt(SPACE, this.text, last) === this.text.length;
    const ends = this.sets
      .get(last)
      .list.some(({ head, items, dot }) => head === start && dot === items.length);
    return whole && ends ? -1 : last;
  }
}

function faultOf(text) {
  const at = new Chart(text).read('source');
  return at < 0 ? null : `line ${text.slice(0, at).split('\n').length}`;
}

let count = 0;
let failures = 0;
function check(good, words) {
  count++;
  failures += good ? 0 : 1;
  console.log(`${good ? 'ok' : 'not ok'} ${count} - ${words}`);
}

const keys = load();

for (const folder of ['examples', 'models']) {
  for (const file of readdirSync(path.join(ROOT, folder)).filter((f) =>
    f.endsWith('.kal'),
  )) {
    const fault = faultOf(readFileSync(path.join(ROOT, folder, file), 'utf8'));
    check(fault === null, `${folder}/${file}${fault ? `: ${fault}` : ''}`);
  }
}

// Statements that examples have not, and what is no model, as the program says too.
const RIGHT = [
  "state sum [rad]: sum' = goal - th\nforce x = ki*sum",
  'output force = x\nplot force, x against t',
  'hold u [N] every 0.1: if(x > 0 and not (y < 1), 1, 2)',
  'event e: x rising, falling set x = 1, release rod',
  "nonideal power x'*2 along [1, 0]",
  'part bar[k in 1..3] = Body(m = 1, I ~ 2)',
  'let a = sum(i in 1..3, i != 2: q[i]^2), b = -x^-2 + f(x)(y)',
  'param k = 1 [kg*m^2/s^(1/2)]; table f [N] = [0, 1], [2, 3], method = linear',
];
const WRONG = [
  'coord',
  'param m 1',
  'kinetic (x',
  'let a = b c',
  'x = 1',
  'for i { }',
  'init x',
];
for (const text of RIGHT) {
  check(faultOf(`${text}\n`) === null, `right: ${text.replace(/\n/g, '; ')}`);
}
for (const text of WRONG) {
  const told = spawnSync(PROGRAM, ['format', '-'], { input: `${text}\n` });
  check(told.status !== 0 && faultOf(`${text}\n`) !== null, `wrong: ${text}`);
}

const queries = readFileSync(path.join(FOLDER, 'queries', 'highlights.scm'), 'utf8');
const plain = queries.replace(/;[^\n]*/g, '');
for (const [, node] of plain.matchAll(/\(([a-z_]+)/g)) {
  check(keys.includes(node), `the node ${node} of the queries`);
}
const grammar = readFileSync(path.join(FOLDER, 'grammar.js'), 'utf8');
for (const [, word] of plain.replace(/\(#.*?\)/g, '').matchAll(/"([^"]+)"/g)) {
  check(grammar.includes(`'${word}'`), `the word ${word} of the queries`);
}
console.log(`1..${count}`);
process.exit(failures > 0 ? 1 : 0);

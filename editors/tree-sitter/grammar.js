// SPDX-License-Identifier: MIT
//
// The model language for Tree-sitter: docs/language/grammar.md in its notation.
//
// Ends of lines are space here: every statement begins with a word of its own, which is a name
// wherever no statement can begin.  The `[` of an index follows directly, that of a unit or a
// vector does not.  `tree-sitter generate` makes the parser.

const RANK = {
  or: 1,
  and: 2,
  not: 3,
  compare: 4,
  add: 5,
  multiply: 6,
  sign: 7,
  power: 8,
  call: 9,
};

function list(rule) {
  return seq(rule, repeat(seq(',', rule)));
}

module.exports = grammar({
  name: 'kalaba',

  extras: ($) => [/[\s\uFEFF]/, $.comment],

  word: ($) => $.name,

  rules: {
    source: ($) => repeat(choice($._statement, ';')),

    block: ($) => seq('{', repeat(choice($._statement, ';')), '}'),

    comment: () => token(seq('#', /[^\n]*/)),

    // Statements.

    _statement: ($) =>
      choice(
        $.model,
        $.use,
        $.declaration,
        $.coordinates,
        $.energy,
        $.power,
        $.force,
        $.mass,
        $.constraint,
        $.servo,
        $.actuator,
        $.state,
        $.hold,
        $.table,
        $.contact,
        $.friction,
        $.init,
        $.simulate,
        $.event,
        $.plot,
        $.draw,
        $.for,
        $.component,
        $.part,
        $.function,
      ),

    model: ($) => seq('model', $.string),
    use: ($) => seq('use', choice($.string, $.name)),
    declaration: ($) => seq(choice('param', 'let', 'output'), list($.declared)),
    declared: ($) => seq($._new, optional($.unit), '=', $._value, optional($.unit)),
    coordinates: ($) => seq('coord', list(seq($._new, optional($.unit)))),
    energy: ($) => seq(choice('kinetic', 'potential', 'dissipation'), $._value),
    power: ($) =>
      seq(optional('nonideal'), 'power', $._value, optional(seq('along', $._value))),
    force: ($) =>
      seq(choice('force', 'nonideal', 'prescribe'), list(seq($._old, '=', $._value))),
    mass: ($) =>
      seq(
        'mass',
        choice('[', token.immediate('[')),
        $._old,
        ',',
        $._old,
        ']',
        '=',
        $._value,
      ),
    constraint: ($) =>
      seq('constraint', $._new, ':', $.equation, optional(seq(',', 'off'))),
    servo: ($) => seq('servo', $._new, ':', $.equation, repeat(seq(',', $.option))),
    equation: ($) => seq($._value, '=', $._value),
    actuator: ($) => seq('actuator', $._new, ':', $._value, repeat(seq(',', $.option))),
    state: ($) => seq('state', $._new, optional($.unit), ':', $.derived, '=', $._value),
    hold: ($) =>
      seq('hold', $._new, optional($.unit), 'every', $._value, ':', $._value),
    table: ($) =>
      seq(
        'table',
        $.name,
        optional($.unit),
        '=',
        choice($.string, seq($._value, ',', $._value)),
        repeat(seq(',', $.option)),
      ),
    contact: ($) =>
      seq('contact', $._new, ':', $._value, '>=', $._value, repeat(seq(',', $.option))),
    friction: ($) => seq('friction', $._new, ':', $._value, repeat(seq(',', $.option))),
    init: ($) =>
      seq('init', list(seq($.derived, choice('=', '~'), $._value, optional($.unit)))),
    simulate: ($) =>
      seq('simulate', $.range, 'every', $._value, repeat(seq(',', $.option))),
    event: ($) =>
      seq('event', $._new, ':', $._value, optional($.directions), list($.action)),
    directions: ($) => choice(list($.direction), seq('[', list($.direction), ']')),
    direction: () => choice('rising', 'falling'),
    action: ($) =>
      choice(
        'stop',
        seq('set', $.derived, '=', $._value),
        seq(choice('release', 'engage'), $._old),
      ),
    plot: ($) => seq('plot', list($._value), optional(seq('against', $._value))),
    draw: ($) => seq('draw', $._shape),
    _shape: ($) =>
      choice(
        seq('line', $._value, repeat1(seq('->', $._value))),
        seq('spring', $._value, '->', $._value),
        seq('circle', $._value, 'radius', $._value),
        seq('box', $._value, 'size', $._value, optional(seq('angle', $._value))),
        seq('path', $._value),
      ),
    for: ($) => seq('for', $.iterator, $.block),
    component: ($) =>
      seq(
        'component',
        field('name', $.name),
        optional(seq('(', optional(list($.parameter)), ')')),
        $.block,
      ),
    parameter: ($) =>
      seq(
        $.name,
        optional($.unit),
        optional(seq(choice('=', '~'), $._value, optional($.unit))),
      ),
    part: ($) => seq('part', list($.instance)),
    instance: ($) =>
      seq(
        choice($._new, seq($.name, token.immediate('['), $.iterator, ']')),
        '=',
        field('component', $._old),
        optional(seq('(', optional(list($.argument)), ')')),
      ),
    argument: ($) => seq(optional(seq($.name, choice('=', '~'))), $._value),
    function: ($) =>
      seq('fn', field('name', $.name), '(', optional(list($.name)), ')', '=', $._value),
    option: ($) => seq(field('name', $.name), '=', choice($._value, $.string)),

    // Names that are declared, names that are meant.

    _new: ($) => seq(field('name', $.name), repeat($._index)),
    _old: ($) => seq($.name, repeat(choice($._index, $._member))),
    _index: ($) => seq(token.immediate('['), $._value, ']'),
    _member: ($) => seq('.', $.name),
    derived: ($) => seq($._old, repeat($.prime)),
    prime: () => token.immediate("'"),

    // Values.

    _value: ($) =>
      choice(
        $.number,
        $.name,
        $.vector,
        $.group,
        $.conditional,
        $.sum,
        $.binary,
        $.unary,
        $.power_of,
        $.derivative,
        $.member,
        $.element,
        $.call,
      ),

    group: ($) => seq('(', $._value, ')'),
    vector: ($) => seq('[', list($._value), ']'),
    conditional: ($) => seq($.if_word, $._condition, ',', $._value, ',', $._value, ')'),
    sum: ($) =>
      seq($.sum_word, $.iterator, optional(seq(',', $._condition)), ':', $._value, ')'),
    if_word: () => token(/if[ \t]*\(/), // without a bracket they are names
    sum_word: () => token(/sum[ \t]*\(/),
    iterator: ($) => seq(field('name', $.name), 'in', $.range),
    range: ($) => seq($._value, '..', $._value),

    binary: ($) =>
      choice(
        prec.left(RANK.add, seq($._value, choice('+', '-'), $._value)),
        prec.left(RANK.multiply, seq($._value, choice('*', '/'), $._value)),
      ),
    unary: ($) => prec(RANK.sign, seq(choice('-', '+'), $._value)),
    power_of: ($) => prec.right(RANK.power, seq($._value, '^', $._value)),
    derivative: ($) => prec(RANK.call, seq($._value, $.prime)),
    member: ($) => prec(RANK.call, seq($._value, '.', $.name)),
    element: ($) => prec(RANK.call, seq($._value, token.immediate('['), $._value, ']')),
    call: ($) =>
      prec(
        RANK.call,
        seq(
          field('function', $._value),
          token.immediate('('),
          optional(list($._value)),
          ')',
        ),
      ),

    // Conditions.

    _condition: ($) =>
      choice($.comparison, $.negation, $.conjunction, $.condition_group),
    comparison: ($) =>
      prec(
        RANK.compare,
        seq($._value, choice('<', '<=', '>', '>=', '==', '!='), $._value),
      ),
    negation: ($) => prec(RANK.not, seq('not', $._condition)),
    conjunction: ($) =>
      choice(
        prec.left(RANK.and, seq($._condition, 'and', $._condition)),
        prec.left(RANK.or, seq($._condition, 'or', $._condition)),
      ),
    condition_group: ($) => seq('(', $._condition, ')'),

    // Words.

    unit: ($) => seq('[', $._measure, ']'),
    _measure: ($) => seq($._base, repeat(seq(choice('*', '/'), $._base))),
    _base: ($) =>
      seq(
        choice($.name, '1', seq('(', $._measure, ')')),
        optional(seq('^', $._exponent)),
      ),
    _exponent: ($) =>
      choice(
        seq(optional('-'), $.number),
        seq('(', optional('-'), $.number, optional(seq('/', $.number)), ')'),
      ),

    name: () => /[\p{L}_][\p{L}\p{N}_]*/u,
    number: () => /\d+(\.\d+)?([eE][+-]?\d+)?/,
    string: () => /"([^"\\\n]|\\["\\])*"/,
  },
});

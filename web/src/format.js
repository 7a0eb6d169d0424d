// Numbers and units for people.

const NOTHING = 1e-100; // what is smaller has died out, and is 0 to a reader
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const DERIVED = {
  'kg*m/s^2': 'N',
  'kg*m^2/s^2': 'N·m',
  'kg*m^2/s^3': 'W',
};

function raised(text) {
  return [...text].map((c) => (c === '-' ? '⁻' : SUPERSCRIPTS[c])).join('');
}

/** A number with so many significant digits, its exponent raised. */
export function number(value, digits = 6) {
  if (!Number.isFinite(value)) {
    return '–';
  }
  if (Math.abs(value) < NOTHING) {
    return '0';
  }
  const [mantissa, exponent] = String(Number(value.toPrecision(digits))).split('e');
  const signed = mantissa.replace('-', '−');
  return exponent ? `${signed}·10${raised(exponent.replace('+', ''))}` : signed;
}

// How many digits it takes to write a number of three digits at most.
function digitsOf(value) {
  return String(Number(value.toPrecision(3)).toExponential())
    .split('e')[0]
    .replace('.', '').length;
}

/** A number of an axis whose ticks are so far apart. */
export function tick(value, step) {
  const size = Math.abs(value);
  if (size < step / 1000) {
    return '0';
  }
  const order = (x) => Math.floor(Math.log10(x) + 1e-9);
  const digits = order(size) - order(step) + digitsOf(step);
  return number(value, Math.min(15, Math.max(1, digits)));
}

/** The power of ten with an exponent; nothing for one that is not whole. */
export function powerOfTen(exponent) {
  return Number.isInteger(exponent) ? `10${raised(String(exponent))}` : '';
}

/** A unit as it is printed: m/s², kg·m². */
export function unit(text) {
  const known = DERIVED[text] ?? text;
  return known.replace(/\^(-?\d+)/g, (_, digits) => raised(digits)).replace(/\*/g, '·');
}

/** A name with its unit behind it. */
export function withUnit(name, text) {
  return text ? `${name} [${unit(text)}]` : name;
}

/** `1 sample`, `2 samples`. */
export function count(n, noun) {
  return `${n.toLocaleString('en').replace(/,/g, ' ')} ${noun}${n === 1 ? '' : 's'}`;
}

/** A name, with a mark if the values in its column are not unique. */
export function markedName(name, column) {
  return column.unique === false ? `${name} (not unique)` : name;
}

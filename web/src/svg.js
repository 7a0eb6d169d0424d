// A context like that of a canvas, as far as pictures need one, that writes SVG.

// Texts are as wide as on a canvas.
const ruler = document.createElement('canvas').getContext('2d');

function escaped(text) {
  return text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
}

const round = (value) => String(Math.round(value * 100) / 100);

export class SvgContext {
  constructor(width, height) {
    this.size = [width, height];
    this.items = [];
    this.stack = [];
    this.path = '';
    this.globalAlpha = 1;
    this.lineWidth = 1;
    this.strokeStyle = '#000';
    this.fillStyle = '#000';
    this.textAlign = 'left';
    this.textBaseline = 'alphabetic';
    this.font = '12px sans-serif';
  }

  save() {
    const { globalAlpha, lineWidth, strokeStyle, fillStyle } = this;
    this.stack.push({ globalAlpha, lineWidth, strokeStyle, fillStyle });
  }

  restore() {
    Object.assign(this, this.stack.pop());
  }

  setTransform() {}

  clearRect() {}

  beginPath() {
    this.path = '';
  }

  moveTo(x, y) {
    this.path += `M${round(x)} ${round(y)}`;
  }

  lineTo(x, y) {
    this.path += `L${round(x)} ${round(y)}`;
  }

  closePath() {
    this.path += 'Z';
  }

  // Whole circles only.
  arc(x, y, radius) {
    const r = round(radius);
    const [left, right, middle] = [round(x - radius), round(x + radius), round(y)];
    const half = (end) => `A${r} ${r} 0 1 0 ${end} ${middle}`;
    this.path += `M${left} ${middle}${half(right)}${half(left)}`;
  }

  add(tag, attributes, text = '') {
    const list = Object.entries({ ...attributes, opacity: round(this.globalAlpha) });
    const words = list.map(([name, value]) => `${name}="${escaped(String(value))}"`);
    this.items.push(`<${tag} ${words.join(' ')}>${escaped(text)}</${tag}>`);
  }

  stroke() {
    const width = { 'stroke-width': this.lineWidth, 'stroke-linecap': 'round' };
    this.add('path', {
      d: this.path,
      fill: 'none',
      stroke: this.strokeStyle,
      ...width,
    });
  }

  fill() {
    this.add('path', { d: this.path, fill: this.fillStyle });
  }

  measureText(text) {
    ruler.font = this.font;
    return ruler.measureText(text);
  }

  fillText(text, x, y) {
    const anchor = { center: 'middle', left: 'start', right: 'end' }[this.textAlign];
    const [, size] = this.font.match(/(\d+)px/) ?? [null, '12'];
    const middle = this.textBaseline === 'middle' ? Number(size) / 3 : 0;
    this.add(
      'text',
      {
        x: round(x),
        y: round(y + middle),
        'text-anchor': anchor,
        'font-size': size,
        'font-family': 'sans-serif',
        fill: this.fillStyle,
      },
      text,
    );
  }

  /** The whole picture on a ground of a color. */
  text(ground) {
    const [width, height] = this.size.map(round);
    const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}"`;
    const sheet = `<rect width="100%" height="100%" fill="${escaped(ground)}"/>`;
    return `${head} width="${width}" height="${height}">\n${sheet}\n${this.items.join('\n')}\n</svg>\n`;
  }
}

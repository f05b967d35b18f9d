/** Where the values of a JSON text begin: lines from 1, by the paths that the API names in its faults. */
export type Lines = ReadonlyMap<string, number>;

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/;

const memberPath = (parent: string, name: string): string => {
  if (!PLAIN.test(name)) return `${parent}[${JSON.stringify(name)}]`;
  return parent === '' ? name : `${parent}.${name}`;
};

class Scanner {
  readonly lines = new Map<string, number>();
  #at = 0;
  #line = 1;

  constructor(private readonly text: string) {}

  #space(): void {
    for (; /\s/.test(this.text[this.#at] ?? 'x'); this.#at += 1) if (this.text[this.#at] === '\n') this.#line += 1;
  }

  #string(): string {
    const [token = ''] = /^"(?:[^"\\]|\\.)*"/.exec(this.text.slice(this.#at)) ?? [];
    this.#at += token.length;
    return token;
  }

  #members(path: string, close: string): void {
    this.#at += 1;
    for (let index = 0; ; index += 1) {
      this.#space();
      if (this.text[this.#at] === close) break;
      const line = this.#line;
      const name = close === '}' ? (JSON.parse(this.#string()) as string) : undefined;
      const below = name === undefined ? `${path}[${index}]` : memberPath(path, name);
      if (name !== undefined) {
        this.#space();
        this.#at += 1;
      }
      this.lines.set(below, line);
      this.value(below);
      this.#space();
      if (this.text[this.#at] === ',') this.#at += 1;
    }
    this.#at += 1;
  }

  value(path: string): void {
    this.#space();
    const first = this.text[this.#at];
    if (first === '{') return this.#members(path, '}');
    if (first === '[') return this.#members(path, ']');
    const [token = ''] = first === '"' ? [this.#string()] : (/^[^\s,\]}]+/.exec(this.text.slice(this.#at)) ?? []);
    if (first !== '"') this.#at += token.length;
  }
}

/** The lines of a text that is JSON. */
export function linesOf(text: string): Lines {
  const scanner = new Scanner(text);
  scanner.value('');
  return scanner.lines;
}

/** The line of a path, or of the nearest value above it. */
export function lineOf(lines: Lines, path: string): number {
  for (let rest = path; rest !== ''; rest = rest.replace(/(?:\.?[^.[\]]+|\[[^\]]*\])$/, '')) {
    const line = lines.get(rest);
    if (line !== undefined) return line;
    if (!/(?:\.?[^.[\]]+|\[[^\]]*\])$/.test(rest)) break;
  }
  return 1;
}

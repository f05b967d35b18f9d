import { replaceSection, sectionMarks } from './marked-section';

const { begin, end } = sectionMarks('bench');
const page = `# Title\n\n${begin}\n\nold\n\n${end}\n\nrest\n`;

describe('a section between marks', () => {
  it('is replaced, and nothing else is', () => {
    expect(replaceSection(page, 'bench', 'new\n')).toBe(`# Title\n\n${begin}\n\nnew\n\n${end}\n\nrest\n`);
    expect(replaceSection(replaceSection(page, 'bench', 'new'), 'bench', 'old')).toBe(page);
  });

  it('keeps the sections of other names', () => {
    const other = sectionMarks('other');
    const both = `${page}${other.begin}\n\nkept\n\n${other.end}\n`;
    expect(replaceSection(both, 'bench', 'new')).toContain(`${other.begin}\n\nkept\n\n${other.end}`);
  });

  it.each([
    ['without marks', 'text'],
    ['without an end', `${begin} text`],
    ['without a beginning', `text ${end}`],
    ['in the wrong order', `${end} text ${begin}`],
    ['with two', `${page}${page}`],
    ['with two ends', `${page}${end}`],
  ])('is refused %s', (_what, text) => {
    expect(() => replaceSection(text, 'bench', 'new')).toThrow(TypeError);
  });
});

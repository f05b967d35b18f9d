/** The lines around a generated section of a page that is otherwise written by hand. */
export const sectionMarks = (name: string) => ({ begin: `<!-- begin: ${name} -->`, end: `<!-- end: ${name} -->` });

/**
 * The page with new text between the two marks of a section.
 * @throws TypeError if a mark is missing or repeated, or they are in the wrong order
 */
export function replaceSection(page: string, name: string, text: string): string {
  const { begin, end } = sectionMarks(name);
  const [before, inside, ...more] = page.split(begin);
  const [, after, ...further] = (inside ?? '').split(end);
  if (before === undefined || after === undefined || more.length > 0 || further.length > 0 || before.includes(end)) {
    throw new TypeError(`the page must have "${begin}" and after it "${end}", each once`);
  }
  return `${before}${begin}\n\n${text.trim()}\n\n${end}${after}`;
}

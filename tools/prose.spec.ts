import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as ts from 'typescript';
import { filesBelow } from './docs/repository-files';

const root = path.resolve(__dirname, '..');

interface Phrase {
  readonly pattern: RegExp;
  readonly instead: string;
  readonly reason: string;
}

const TRANSLATED = 'readers stumble: it is translated word for word';
const FIGURATIVE = 'a figure of speech that names nothing in the code';
const UNUSUAL = 'the field has a usual word for it';
const AMERICAN = 'spelling is British, see CONTRIBUTING.md';

/** What readers have stumbled over. Spans of code are not looked at. */
const PHRASES: readonly Phrase[] = [
  {
    pattern: /(?<!\bthere )\bis no (?:[A-Z]{3,}|(?:cursor|key|point|number|string|object|array|day|wallet)\b)/,
    instead: 'is not a',
    reason: TRANSLATED,
  },
  { pattern: /\bthat (?:is|are) none\b/, instead: 'invalid, missing', reason: TRANSLATED },
  { pattern: /\b(?:can|could) ?not be had\b/, instead: 'is unavailable', reason: TRANSLATED },
  { pattern: /\bnobody asked for\b/, instead: 'was not requested', reason: TRANSLATED },
  { pattern: /\bfor all who\b/, instead: 'for everyone who', reason: TRANSLATED },
  { pattern: /\bname(?:s)? nothing\b/, instead: 'has no meaning, matches nothing', reason: TRANSLATED },
  { pattern: /\bcounts? for nothing\b/, instead: 'has no effect', reason: TRANSLATED },
  { pattern: /\bis there as soon as\b/, instead: 'is created when', reason: TRANSLATED },
  { pattern: /\bof (?:its|their) own authority\b/, instead: 'private authority', reason: TRANSLATED },
  { pattern: /\bfor ever\b/, instead: 'indefinitely, permanently', reason: TRANSLATED },
  {
    pattern: /(?:^|[.:;] )Who (?!(?:is|are|may|can|has|owns|should)\b)[a-z]+s\b/,
    instead: 'Anyone who, a client that',
    reason: TRANSLATED,
  },
  { pattern: /\bwants? it so\b/, instead: 'requests it', reason: TRANSLATED },
  { pattern: /\b(?:wallet|backend|caller)s? hears?\b/, instead: 'receives', reason: FIGURATIVE },
  { pattern: /\banswers (?:status\b|(?:with )?[2345]\d\d\b)/, instead: 'returns', reason: UNUSUAL },
  { pattern: /\ba (?:short )?text of\b/, instead: 'a string of', reason: UNUSUAL },
  { pattern: /\bhalf (?:surrogate|character)s?\b/, instead: 'unpaired surrogate', reason: UNUSUAL },
  {
    pattern: /\b(?:the|this) house\b|\bworld outside\b|\bin a circle\b/i,
    instead: 'the code base, external, a deadlock',
    reason: FIGURATIVE,
  },
  {
    pattern: /\b(?:behavior|color|favor|honor|center(?!;)|canceled|defense)(?:s|ed|ing)?\b/i,
    instead: '-our, -re, -ll-, -ce',
    reason: AMERICAN,
  },
  {
    pattern: /\b(?:recogni|normali|organi|summari|minimi|optimi)z(?:e|ed|es|ing|ation)\b/i,
    instead: '-ise',
    reason: AMERICAN,
  },
];

/** Of comments alone: code and documents use these words rightly. */
const IN_COMMENTS: readonly Phrase[] = [
  { pattern: /\bwhoever\b/i, instead: 'a caller that, a sender that', reason: TRANSLATED },
  { pattern: /\bwhich (?:is|are) none\b/, instead: 'invalid, missing', reason: TRANSLATED },
  { pattern: /\bunless told otherwise\b/, instead: 'by default', reason: UNUSUAL },
  { pattern: /\b(?:hears?|to hear)\b/i, instead: 'receives, is notified of, is called with', reason: FIGURATIVE },
  { pattern: /\bstrangers?\b/i, instead: 'anyone, an untrusted party, untrusted input', reason: FIGURATIVE },
  { pattern: /\b(?:is|are) worth nothing\b/, instead: 'is invalid, has no effect', reason: FIGURATIVE },
  { pattern: /\bone after the other\b/, instead: 'sequentially, one at a time', reason: UNUSUAL },
  { pattern: /\bat once\b/i, instead: 'immediately; at the same time; together', reason: 'it has two meanings' },
  { pattern: /\banew\b/, instead: 'again, newly', reason: UNUSUAL },
  { pattern: /\bin vain\b/, instead: 'without a result', reason: FIGURATIVE },
  { pattern: /\bthrow-away\b/, instead: 'temporary', reason: UNUSUAL },
  { pattern: /\beach such\b/i, instead: 'each of them, every', reason: TRANSLATED },
  { pattern: /\b(?:is|are) not [a-z]+ed any more\b/, instead: 'is no longer', reason: UNUSUAL },
  { pattern: /\bcan be (?:had|told)\b/, instead: 'is available', reason: TRANSLATED },
  { pattern: /\ba number of its own\b/, instead: 'its own number', reason: TRANSLATED },
  { pattern: /\bnobody (?:trusts|waits|is to blame)\b/, instead: 'is not trusted; nothing waits', reason: FIGURATIVE },
];

const found = (text: string) => PHRASES.filter(({ pattern }) => pattern.test(text));
const faultsOf = (where: string, text: string) =>
  found(text).map(
    ({ pattern, instead, reason }) => `${where}: "${pattern.exec(text)?.[0]}": ${reason}; write: ${instead}`,
  );

/** Paragraphs of a document as single lines, without blocks, spans and targets of links. */
function paragraphsOf(markdown: string): readonly string[] {
  const prose = markdown.replace(/^ *```[\s\S]*?^ *```/gm, '').replace(/`[^`\n]*`/g, '`…`');
  return prose
    .replace(/\]\([^)\s]*\)/g, ']')
    .split(/\n(?:\s*\n|(?= *(?:[-*|#]|\d+\.) ))/)
    .map((paragraph) => paragraph.replace(/\s+/g, ' ').trim());
}

/** Literals with a space in them: sentences, and not names. */
function sentencesOf(file: string, source: string): readonly string[] {
  const sentences: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return;
    if (ts.isStringLiteralLike(node)) sentences.push(node.text);
    if (ts.isTemplateExpression(node)) sentences.push(node.getText());
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true));
  return sentences.filter((sentence) => sentence.includes(' '));
}

/** The comments of a source, without spans of code, each as a single line. */
function commentsOf(file: string, source: string): readonly string[] {
  const comments = new Map<number, string>();
  const visit = (node: ts.Node): void => {
    const leading = ts.getLeadingCommentRanges(source, node.pos) ?? [];
    const trailing = ts.getTrailingCommentRanges(source, node.end) ?? [];
    for (const { pos, end } of [...leading, ...trailing]) comments.set(pos, source.slice(pos, end));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true));
  return [...comments.values()].flatMap((comment) =>
    paragraphsOf(comment.replace(/^\s*(?:\/\*\*?|\*\/|\*|\/\/)|\*\/$/gm, '')),
  );
}

const foundInComment = (text: string) => [...PHRASES, ...IN_COMMENTS].filter(({ pattern }) => pattern.test(text));

/** Not the maps of requirements and of the contract, which are made of the titles of tests, and not the changelog, which is history. */
const documents = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...['apps', 'libs', 'docs', 'deploy', 'tools'].flatMap((folder) => filesBelow(root, folder)),
].filter((file) => file.endsWith('.md') && !/^docs\/(?:spec|contract)-map\.md$/.test(file));
const sources = ['apps', 'libs/core', 'libs/platform', 'libs/kit'].flatMap((folder) =>
  filesBelow(root, folder).filter((file) => !file.startsWith('libs/kit/client/src/generated/')),
);
const commented = [...sources, ...['libs/dev', 'tools'].flatMap((folder) => filesBelow(root, folder))].filter((file) =>
  /(?<!spec)\.(?:ts|cjs|cts)$/.test(file),
);
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

describe('prose', () => {
  it('of the documents has no phrase that readers stumble over', () => {
    const faults = documents.flatMap((file) =>
      paragraphsOf(read(file)).flatMap((paragraph) => faultsOf(file, paragraph)),
    );
    expect(faults).toEqual([]);
  });

  it('of errors, log lines and descriptions has none either', () => {
    const product = sources.filter((file) => file.endsWith('.ts') && !/spec\.ts$|\/testing\/|stage\.ts$/.test(file));
    const faults = product.flatMap((file) =>
      sentencesOf(file, read(file)).flatMap((sentence) => faultsOf(file, sentence)),
    );
    expect(faults).toEqual([]);
  });

  it('of comments outside of tests has none either', () => {
    const faults = commented.flatMap((file) =>
      commentsOf(file, read(file)).flatMap((comment) =>
        foundInComment(comment).map(
          ({ pattern, instead }) => `${file}: "${pattern.exec(comment)?.[0]}"; write: ${instead}`,
        ),
      ),
    );
    expect(faults).toEqual([]);
  });

  it.each([
    'Hears the result of each attempt',
    'JSON from a stranger',
    'a nonce of another purpose is worth nothing',
    'Verifies them one after the other',
    'Ends at once',
    'is fetched anew',
    'so that it does not wait in vain',
    'a throw-away folder',
    'each such offer',
    'A key that is not used any more',
    'Everything that the gateway can be told',
    'a list that can be had',
    'each has a number of its own',
  ])('that says "%s" in a comment is found', (sentence) => {
    expect(commentsOf('a.ts', `/** ${sentence}. */ const a = 1;`).flatMap(foundInComment)).toHaveLength(1);
  });

  it.each([
    'An offer is cancelled at the end, and only once',
    'He overhears nothing; a list heard by nobody',
    'a strange id is replaced',
    'One batch after another is sent',
    'in vain_attempts',
    'a folder that is thrown away',
    'no longer used, and never used any more',
    'it can be hard to say',
  ])('that says "%s" in a comment passes', (sentence) => {
    expect(commentsOf('a.ts', `/** ${sentence}. */ const a = 1;`).flatMap(foundInComment)).toEqual([]);
  });

  it('in a comment is found over a line break, and not in its spans of code', () => {
    const comments = (source: string) => commentsOf('a.ts', source).flatMap(foundInComment);
    expect(comments('/**\n * What nobody\n * asked for.\n */\nconst a = 1;')).toHaveLength(1);
    expect(comments('const a = 1; // whoever calls it')).toHaveLength(1);
    expect(comments('/** A caller that listens; `whoever`. */ const whoever = "nobody asked for it";')).toEqual([]);
  });

  it.each([
    'the value is no URL',
    'a policy that is none',
    'These words name nothing.',
    'a list that cannot be had',
    'Who scans a QR code need not sit before the screen',
    'the wallet hears an error',
    'it answers with 200',
    'Read five files and you know the house',
    'the default behavior',
    'it normalizes a header',
  ])('that says "%s" is found', (sentence) => {
    expect(found(sentence)).toHaveLength(1);
  });

  it.each([
    'there is no URL in the body',
    'none of them is valid',
    'Anyone who scans a QR code',
    'Who may use the listener',
    'the wallet receives an error',
    'a house number is a claim',
    'canonicalized as RFC 8785 requires; unauthorized',
    'the normalised form, and its behaviour',
  ])('that says "%s" passes', (sentence) => {
    expect(found(sentence)).toEqual([]);
  });

  it('is found over a line break and in a template, and not in code', () => {
    expect(
      paragraphsOf('A list that cannot\nbe had.\n\n```\nthe house\n```\n\n- `the house`').flatMap(found),
    ).toHaveLength(1);
    expect(sentencesOf('a.ts', 'throw new Error(`${name} is no URL`);').flatMap(found)).toHaveLength(1);
    expect(sentencesOf('a.ts', '/* it is no URL */ const house = 1;').flatMap(found)).toEqual([]);
  });
});

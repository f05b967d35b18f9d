'use strict';
// Standard input: JSON, texts by the path of their file. Standard output: the same as Prettier formats them. A program of its
// own because Prettier is an ES module, and one for all texts because it takes longer to load than most of them to format.
const { text } = require('node:stream/consumers');

async function main() {
  const { format, resolveConfig } = await import('prettier');
  const formatted = {};
  for (const [file, unformatted] of Object.entries(JSON.parse(await text(process.stdin)))) {
    const settings = await resolveConfig(file, { editorconfig: true });
    formatted[file] = await format(unformatted, { ...settings, filepath: file });
  }
  process.stdout.write(JSON.stringify(formatted));
}
void main();

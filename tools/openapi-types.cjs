'use strict';
// Reads OpenAPI documents from standard input, as JSON by name, and prints what openapi-typescript makes of them with its
// default options, as JSON by the same names. A process of its own, because the generator is an ES module.
async function main() {
  const { default: typesOf, astToString } = await import('openapi-typescript');
  let input = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) input += chunk;
  const written = {};
  for (const [name, document] of Object.entries(JSON.parse(input)))
    written[name] = astToString(await typesOf(document));
  process.stdout.write(JSON.stringify(written));
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});

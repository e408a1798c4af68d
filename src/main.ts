/** The entry. Nothing is imported before the version of Node is known to be one that can run the rest. */
if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(
    `expected Node 24 or newer, got ${process.versions.node}; ` +
      'start through npm (`npm start`, `npm run demo`), which brings its own\n',
  );
  process.exit(1);
}

const { keepCompiled } = await import('./compile-cache.ts');
keepCompiled();
const { runCommand } = await import('./commands.ts');
await runCommand(process.argv);

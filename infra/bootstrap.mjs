// Plain JavaScript, so that an older system Node can run it. It installs the packages, including the project's Node, and
// runs the program with that.
import { spawn, spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');
const node = join(modules, 'node', 'bin', 'node');
// npm writes this file last in every installation.
const installed = join(modules, '.package-lock.json');
const wanted = join(root, 'package-lock.json');

function modifiedAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function isInstalled() {
  return modifiedAt(node) > 0 && modifiedAt(installed) >= modifiedAt(wanted);
}

function install() {
  process.stderr.write('Installing packages (once) …\n');
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    process.stderr.write('npm could not install the packages; its message is above.\n');
    process.exit(1);
  }
}

if (!isInstalled()) install();

const [program, ...args] = process.argv.slice(2);
// A dossier lives for a millisecond. With a larger young generation, the collector hardly ever copies one.
const flags = ['--max-semi-space-size=64'];
const child = spawn(node, [...flags, join(root, program), ...args], {
  stdio: 'inherit',
  cwd: process.cwd(),
});
// A signal from a terminal reaches the child too. A signal to this process alone has to be forwarded.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    if (!process.stdin.isTTY) child.kill(signal);
  });
}
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)));

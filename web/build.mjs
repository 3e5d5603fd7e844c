// node build.mjs FOLDER: the page into FOLDER/files, and FOLDER/page_files.cpp, which has it compressed, as bytes.
import { readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const folder = path.resolve(process.argv[2]);
const files = path.join(folder, 'files');
const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css' };

await build({
  configFile: false,
  root: path.dirname(fileURLToPath(import.meta.url)),
  cacheDir: path.join(folder, 'cache'),
  logLevel: 'warn',
  // Without a polyfill, which would have to be a script in the page itself.
  build: { outDir: files, emptyOutDir: true, modulePreload: { polyfill: false }, reportCompressedSize: false },
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact', legalComments: 'none' },
});

function literal(bytes) {
  const lines = [];
  for (let at = 0; at < bytes.length; at += 24)
    lines.push('  "' + [...bytes.subarray(at, at + 24)].map(b => `\\${b.toString(8).padStart(3, '0')}`).join('') + '"');
  return lines.join('\n');
}

const entries = [];
for (const entry of (await readdir(files, { recursive: true })).sort()) {
  const type = types[path.extname(entry)];
  if (!type) continue;
  const bytes = await readFile(path.join(files, entry));
  const packed = gzipSync(bytes, { level: 9 });
  entries.push(`{"/${entry}", "${type}", ${bytes.length}, {\n${literal(packed)},\n  ${packed.length}}},`);
}
await writeFile(
  path.join(folder, 'page_files.cpp'),
  `#include "runtime/http/page_files.hpp"

namespace steadfast::runtime {

const std::vector<page_file>& page_files() {
  static const std::vector<page_file> all{
${entries.join('\n')}
  };
  return all;
}

} // namespace steadfast::runtime
`,
);

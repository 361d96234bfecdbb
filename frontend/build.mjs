// Builds static/vendor/codemirror.js, uplot.js, sql-formatter.js and their licence files from the packages in package-lock.json.
import { createHash } from "node:crypto";
import { copyFile, readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));
const VENDOR = join(HERE, "../static/vendor");
// The test of the committed bundle hashes the same files in the same order.
const INPUTS = ["build.mjs", "codemirror.js", "package-lock.json", "package.json"];
// Of what is sent: servers hand out the .gz file beside the bundle.
const MOST_COMPRESSED_BYTES = 165 * 1024;

async function hashInputs() {
  const hash = createHash("sha256");
  for (const name of INPUTS) {
    hash.update(await readFile(join(HERE, name)));
  }
  return hash.digest("hex");
}

async function bundle(entryPoint, banner) {
  const result = await build({
    absWorkingDir: HERE,
    entryPoints: [entryPoint],
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    metafile: true,
    write: false,
    banner: { js: `/*! ${banner} */` },
  });
  return { text: result.outputFiles[0].text, packages: packagesOf(result.metafile) };
}

function packagesOf(metafile) {
  const names = Object.keys(metafile.inputs).map((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return [...new Set(names.filter(Boolean))].sort();
}

async function licenceOf(name) {
  const folder = join(HERE, "node_modules", name);
  const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each));
  if (!file) {
    throw new Error(`${name} has no licence file`);
  }
  return { title: `${name} ${version}`, text: (await readFile(join(folder, file), "utf8")).trim() };
}

/** Each licence text once, under the names of all packages that carry it. */
function joinLicences(licences) {
  const titles = new Map();
  for (const { title, text } of licences) {
    titles.set(text, [...(titles.get(text) ?? []), title]);
  }
  return [...titles].map(([text, names]) => `${names.join("\n")}\n\n${text}\n`).join(`\n${"-".repeat(80)}\n\n`);
}

async function writeLicences(file, packages) {
  await writeFile(join(VENDOR, file), joinLicences(await Promise.all(packages.map(licenceOf))));
}

const inputs = await hashInputs();
const editor = await bundle(
  "codemirror.js",
  `CodeMirror 6, MIT, see codemirror.LICENSE.txt; built from frontend/, inputs sha256 ${inputs}`,
);
const compressed = gzipSync(editor.text, { level: 9 });
if (compressed.length > MOST_COMPRESSED_BYTES) {
  throw new Error(`the bundle has ${compressed.length} bytes; the limit is ${MOST_COMPRESSED_BYTES}`);
}
await writeFile(join(VENDOR, "codemirror.js"), editor.text);
await writeFile(join(VENDOR, "codemirror.js.gz"), compressed);
await writeLicences("codemirror.LICENSE.txt", editor.packages);

const charts = await bundle("node_modules/uplot/dist/uPlot.esm.js", "uPlot, MIT, see uplot.LICENSE.txt");
await writeFile(join(VENDOR, "uplot.js"), charts.text);
await copyFile(join(HERE, "node_modules/uplot/dist/uPlot.min.css"), join(VENDOR, "uplot.css"));
await writeLicences("uplot.LICENSE.txt", charts.packages);

const formatter = await bundle("sql-formatter.js", "sql-formatter, MIT, see sql-formatter.LICENSE.txt");
await writeFile(join(VENDOR, "sql-formatter.js"), formatter.text);
await writeLicences("sql-formatter.LICENSE.txt", formatter.packages);

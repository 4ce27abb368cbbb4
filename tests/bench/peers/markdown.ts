import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { installOnce } from './install.mjs'

// The common use: one `<ReactMarkdown>` over the whole text, rendered again with each chunk.

const manifest = readFileSync(fileURLToPath(new URL('markdown.json', import.meta.url)), 'utf8')
const folder = join(
  tmpdir(),
  `inference-studio-bench-markdown-${createHash('sha256').update(manifest).digest('hex').slice(0, 12)}`,
)

/** The use of react-markdown that its README shows, with tables. */
const script = `
import { createElement, useState } from 'react'
import { createRoot } from 'react-dom/client'
import Markdown from 'react-markdown'
import remarkGfm from 'remark-gfm'
const plugins = [remarkGfm]
function Reply() {
  const [text, setText] = useState('')
  globalThis.append = (more) => setText((before) => before + more)
  return createElement(Markdown, { remarkPlugins: plugins }, text)
}
createRoot(document.getElementById('plain')).render(createElement(Reply))
`
const html = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
<div id="plain" style="height:800px;overflow:auto;overflow-wrap:anywhere"></div><script type="module" src="./page.js"></script>`

/** Builds the page into `outDir`. Its packages are installed once, at exact versions, outside the project, without install scripts. */
export async function buildMarkdownPeer(outDir: string): Promise<void> {
  installOnce(folder, manifest)
  writeFileSync(join(folder, 'index.html'), html)
  writeFileSync(join(folder, 'page.js'), script)
  await build({
    root: folder,
    base: './',
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: { outDir, emptyOutDir: true, target: 'chrome120', minify: true },
  })
}

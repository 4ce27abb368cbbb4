import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const from = fileURLToPath(new URL('../../node_modules/pdfjs-dist/', import.meta.url))

/** The folders of `pdfjs-dist` by the folder of the build, and which of their files ship. */
const folders = {
  cmaps: { source: 'cmaps', only: /\.bcmap$/ },
  decoders: { source: 'wasm', only: /^(?:jbig2|openjpeg)_nowasm_fallback\.js$/ },
} as const

/** Adds files of PDF.js to the folder `pdf` of a build: character maps for the core, decoders for the page. */
export function pdfAssets(names: readonly (keyof typeof folders)[]): Plugin {
  return {
    name: 'pdf-assets',
    apply: 'build',
    async generateBundle() {
      for (const name of names) {
        const { source, only } = folders[name]
        for (const file of await readdir(`${from}${source}`)) {
          if (!only.test(file)) continue
          const bytes = await readFile(`${from}${source}/${file}`)
          this.emitFile({ type: 'asset', fileName: `pdf/${name}/${file}`, source: bytes })
        }
      }
    },
  }
}

import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const from = fileURLToPath(new URL('../../docs/guide/', import.meta.url))

/** Adds the guide to the build of the core: the sandbox's model `guide` quotes from it. */
export function guidePages(): Plugin {
  return {
    name: 'guide-pages',
    apply: 'build',
    async generateBundle() {
      for (const file of await readdir(from)) {
        if (file.endsWith('.md'))
          this.emitFile({ type: 'asset', fileName: `docs/guide/${file}`, source: await readFile(from + file) })
      }
    },
  }
}

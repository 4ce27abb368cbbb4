import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Plugin, transformWithOxc } from 'vite'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/**
 * Adds the diagram page to the build, with Mermaid's published classic script. A frame with an opaque origin can't fetch
 * modules, and none of its code may be part of the main bundle.
 */
export function diagramPage(): Plugin {
  return {
    name: 'diagram-page',
    async generateBundle() {
      const source = (name: string): Promise<string> =>
        readFile(at(`../../src-renderer/shared/diagram/${name}`), 'utf8')
      const files = {
        'index.html': await source('index.html'),
        'page.css': await source('page.css'),
        'page.js': (await transformWithOxc(await source('page.ts'), 'page.ts')).code,
        'mermaid.js': await readFile(at('../../node_modules/mermaid/dist/mermaid.min.js'), 'utf8'),
      }
      for (const [name, text] of Object.entries(files))
        this.emitFile({ type: 'asset', fileName: `diagram/${name}`, source: text })
    },
  }
}

import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Plugin, transformWithOxc } from 'vite'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/**
 * Puts the page of a diagram's frame beside the window's own, with Mermaid as it is published: one plain script. A frame with an origin
 * of nobody can't fetch modules, and nothing of it may end up in the window's own bundle.
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

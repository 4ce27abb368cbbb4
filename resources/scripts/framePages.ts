import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Plugin, transformWithOxc } from 'vite'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const source = (path: string): Promise<string> => readFile(at(`../../src-renderer/shared/${path}`), 'utf8')
const script = async (path: string): Promise<string> => (await transformWithOxc(await source(path), 'page.ts')).code

/**
 * Adds the pages of frames to the build: diagrams, with Mermaid's published classic script, and previews. A frame with an opaque origin
 * can't fetch modules, and none of its code may be part of the main bundle.
 */
export function framePages(): Plugin {
  return {
    name: 'frame-pages',
    async generateBundle() {
      const files = {
        'diagram/index.html': await source('diagram/index.html'),
        'diagram/page.css': await source('diagram/page.css'),
        'diagram/page.js': await script('diagram/page.ts'),
        'diagram/mermaid.js': await readFile(at('../../node_modules/mermaid/dist/mermaid.min.js'), 'utf8'),
        'preview/index.html': withScript(await source('preview/index.html'), await script('preview/page.ts')),
      }
      for (const [name, text] of Object.entries(files)) this.emitFile({ type: 'asset', fileName: name, source: text })
    },
  }
}

/** Puts the script into the page, so that the page's policy need not allow any address. */
function withScript(page: string, code: string): string {
  const tag = '<script src="./page.js"></script>'
  if (!page.includes(tag)) throw new Error('The page of previews has no place for its script.')
  // The text of a script ends at the first `</script`, also inside quotes.
  const safe = code.replaceAll('</script', '<\\/script')
  return page.replace(tag, '').replace('</body>', () => `<script>${safe}</script>\n  </body>`)
}

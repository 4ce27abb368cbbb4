import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../fixtures/hostile/', import.meta.url))

export interface HostileReply {
  /** File name and name of the case. */
  name: string
  text: string
}

/** Every case of tests/fixtures/hostile. The README there describes the format. */
export function hostileReplies(): HostileReply[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .sort()
    .flatMap(casesOf)
}

/** Every case of tests/fixtures/hostile/pages.html: documents that attack from inside a preview, with running scripts. */
export const hostilePages = (): HostileReply[] => casesOf('pages.html')

function casesOf(file: string): HostileReply[] {
  return readFileSync(folder + file, 'utf8')
    .split(/^=== /m)
    .slice(1)
    .map((section) => {
      const end = section.indexOf('\n')
      return { name: `${file.replace(/\.\w+$/, '')}: ${section.slice(0, end)}`, text: written(section.slice(end + 1)) }
    })
}

function written(section: string): string {
  const chars = section.replace(/⟦U\+([0-9A-F]{4})⟧/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return chars.replace(/⟦(\d+)×([^⟦⟧]*)⟧/g, (_, times: string, unit: string) =>
    unit.replaceAll('\\n', '\n').replaceAll('\\t', '\t').replaceAll('\\r', '\r').repeat(Number(times)),
  )
}

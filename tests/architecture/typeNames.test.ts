import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const sources = globSync(['src-main/**/*.ts', 'src-preload/**/*.ts', 'src-renderer/**/*.{ts,tsx}'], { cwd: root })

/** Declarations of exported types. A re-export (`export type { Name }`) declares nothing. */
const declaration = /^export (?:declare )?(?:type|interface|(?:abstract )?class) (\w+)/gm

/** Types by name, with the files that export them. */
function exportedTypes(files: readonly string[], read: (file: string) => string): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const file of files) {
    for (const [, name = ''] of read(file).matchAll(declaration)) found.set(name, [...(found.get(name) ?? []), file])
  }
  return found
}

const sharedNames = (types: Map<string, string[]>): [string, string[]][] =>
  [...types].filter(([, files]) => files.length > 1)

it('finds types, and those of one name', () => {
  expect(exportedTypes(sources, (file) => readFileSync(join(root, file), 'utf8')).size).toBeGreaterThan(500)
  const texts: Record<string, string> = {
    a: 'export interface Shape {}\nexport type { Kind } from "x"',
    b: 'export type Shape = 1\nexport type Kind = 2',
    c: 'interface Shape {}\nexport abstract class Other {}',
  }
  const types = exportedTypes(Object.keys(texts), (file) => texts[file] ?? '')
  expect(sharedNames(types)).toEqual([['Shape', ['a', 'b']]])
})

it('each exported type has a name of its own, so that a search finds one declaration', () => {
  const types = exportedTypes(sources, (file) => readFileSync(join(root, file), 'utf8'))
  expect(sharedNames(types)).toEqual([])
})

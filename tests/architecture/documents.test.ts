import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const documents = globSync(['*.md', 'docs/**/*.md', 'src-*/**/README.md', 'tests/**/*.md'], { cwd: root }).filter(
  (path) => !path.startsWith('tests/fixtures/'),
)
const exists = (path: string): boolean => globSync(path, { cwd: root }).length > 0

it('finds documents', () => {
  expect(documents.length).toBeGreaterThan(20)
})

it.each(documents)('%s names only files that exist', (document) => {
  const text = readFileSync(join(root, document), 'utf8').replace(/```[\s\S]*?```/g, '')
  const links = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(([, path = '']) =>
    join(dirname(document), path),
  )
  const paths = [...text.matchAll(/`((?:src-main|src-renderer|src-preload|tests|resources|docs)\/[\w./-]+)`/g)].map(
    ([, path = '']) => path,
  )
  expect([...links, ...paths].filter((path) => !exists(path))).toEqual([])
})

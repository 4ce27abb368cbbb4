import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { guidePages, guideSections, readGuideLink, sectionsOf } from '../../../../src-renderer/shared/help/guide.ts'
import { readOwnLink } from '../../../../src-renderer/shared/help/ownLink.ts'

describe('links of replies to places in the window', () => {
  it.each([
    ['inference-studio://help/local-api#model-names', { to: 'help', page: 'local-api', anchor: 'model-names' }],
    ['inference-studio://help/start', { to: 'help', page: 'start', anchor: '' }],
    ['inference-studio://chat?prompt=What%20now%3F', { to: 'prompt', text: 'What now?' }],
    ['inference-studio://page/settings/tools', { to: 'page', route: { page: 'settings', id: 'tools' } }],
    ['inference-studio://page/images', { to: 'page', route: { page: 'images', id: null } }],
  ])('%s is read', (address, link) => expect(readOwnLink(address)).toEqual(link))

  it.each([
    'https://example.com/help/start',
    'inference-studio://help/../../etc/passwd',
    'inference-studio://help/a%2Fb',
    'inference-studio://chat/new',
    'inference-studio://erase/all',
    'javascript:alert(1)',
    'help/start',
  ])('%s is none', (address) => expect(readOwnLink(address)).toBeNull())

  it('a long prompt is cut', () => {
    const link = readOwnLink(`inference-studio://chat?prompt=${'x'.repeat(2_000)}`)
    expect(link).toMatchObject({ to: 'prompt', text: 'x'.repeat(500) })
  })

  it('an unknown page of the window opens Chat', () =>
    expect(readOwnLink('inference-studio://page/elsewhere')).toEqual({
      to: 'page',
      route: { page: 'chat', id: null },
    }))
})

const folder = new URL('../../../../docs/guide/', import.meta.url)
const names = readdirSync(folder).filter((file) => file.endsWith('.md') && file !== 'README.md')

test('the guide in the window lists every page', async () => {
  const listed = await guidePages()
  expect(listed.map(({ page }) => `${page}.md`).sort()).toEqual(names.sort())
  expect(listed[0]).toEqual({ page: 'start', title: 'First steps' })
  expect(await guideSections('no-such-page')).toBeNull()
})

test('every link of the guide leads to a section that exists, and none leaves the guide', async () => {
  let links = 0
  for (const file of names) {
    const page = file.slice(0, -3)
    for (const { text } of sectionsOf(readFileSync(new URL(file, folder), 'utf8'))) {
      for (const [, address = ''] of text.replace(/```[\s\S]*?```/g, '').matchAll(/\]\(([^)\s]*)\)/g)) {
        const link = readGuideLink(page, address)
        if (link?.to !== 'help') throw new Error(`${address} of ${file} is no link of the guide.`)
        const sections = await guideSections(link.page)
        expect(
          sections?.map(({ anchor }) => anchor),
          `${address} of ${file}`,
        ).toContain(link.anchor)
        links += 1
      }
    }
  }
  expect(links).toBeGreaterThan(8)
})

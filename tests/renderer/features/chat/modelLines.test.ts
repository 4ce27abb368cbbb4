import { expect, it } from 'vitest'
import type { ModelFacts } from '../../../../src-preload/contract/models.ts'
import { type ModelLine, modelAfter, modelLines } from '../../../../src-renderer/features/chat/modelLines.ts'
import { betterForImages } from '../../../../src-renderer/stores/modelFacts.ts'

const model = (id: string) => ({ id, created: null, ownedBy: null })
const models = ['a/writer', 'writer-large', 'tts-1', 'painter', 'reasoner', 'great-writer'].map(model)
const facts = (...known: (Partial<ModelFacts> & { id: string })[]) =>
  new Map(
    known.map((one) => [
      one.id,
      {
        favourite: false,
        repliedAt: null,
        notForChat: null,
        images: null,
        tools: null,
        context: null,
        price: null,
        ...one,
      },
    ]),
  )
const shown = (lines: readonly ModelLine[]): string[] =>
  lines.map((line) => (line.line === 'heading' ? `# ${line.section}` : line.model.id))
const plain = { models, facts: facts(), search: '', picked: [], showAll: false, showTests: false }

it('one section has no heading', () => {
  expect(shown(modelLines(plain).lines)).toEqual(models.map(({ id }) => id))
})

it('Recent has the five models that replied last, Favourites the marked ones, All every model', () => {
  const days = models.map(({ id }, at) => ({ id, repliedAt: `2026-01-0${at + 1}T00:00:00.000Z` }))
  const known = facts(...days.map((one) => ({ ...one, favourite: one.id === 'reasoner' })))
  expect(shown(modelLines({ ...plain, facts: known }).lines)).toEqual([
    ...['# recent', 'great-writer', 'reasoner', 'painter', 'tts-1', 'writer-large'],
    ...['# favourites', 'reasoner'],
    ...['# all', ...models.map(({ id }) => id)],
  ])
})

it('exact names come first, then beginnings, then beginnings of words, recent ones first among equals', () => {
  const known = facts({ id: 'great-writer', repliedAt: '2026-01-01T00:00:00.000Z' })
  const { lines } = modelLines({ ...plain, facts: known, search: 'writer' })
  expect(shown(lines)).toEqual(['a/writer', 'writer-large', 'great-writer'])
})

it('leaves out models that are not for chats, unless they are in use, a favourite, or wanted', () => {
  const known = facts({ id: 'tts-1', notForChat: 'speech' }, { id: 'painter', notForChat: 'no_tokens' })
  const hidden = modelLines({ ...plain, facts: known })
  expect(shown(hidden.lines)).not.toContain('tts-1')
  expect(hidden.hidden).toBe(2)
  expect(shown(modelLines({ ...plain, facts: known, picked: ['tts-1'] }).lines)).toContain('tts-1')
  expect(shown(modelLines({ ...plain, facts: known, showAll: true }).lines)).toEqual(models.map(({ id }) => id))
  const marked = facts({ id: 'tts-1', notForChat: 'speech', favourite: true })
  expect(shown(modelLines({ ...plain, facts: marked }).lines)).toContain('tts-1')
  expect(modelLines({ ...plain, facts: known, search: 'tts' })).toMatchObject({ lines: [], hidden: 1 })
})

it('leaves out test models until they are wanted, searched, in use, a favourite, or have replied', () => {
  const tests = ['writer-small', 'fault/429', 'mirror'].map((id) => ({ ...model(id), ownedBy: 'sandbox-tests' }))
  const list = { ...plain, models: [{ ...model('guide'), ownedBy: 'sandbox' }, ...tests] }
  expect(modelLines(list)).toMatchObject({ shown: 1, hidden: 0, hiddenTests: 3 })
  expect(shown(modelLines(list).lines)).toEqual(['guide'])
  expect(shown(modelLines({ ...list, search: 'fault' }).lines)).toEqual(['fault/429'])
  expect(shown(modelLines({ ...list, picked: ['mirror'] }).lines)).toEqual(['guide', 'mirror'])
  const replied = facts({ id: 'writer-small', repliedAt: '2026-01-01T00:00:00.000Z' })
  expect(modelLines({ ...list, facts: replied })).toMatchObject({ shown: 2, hiddenTests: 2 })
  expect(modelLines({ ...list, showTests: true })).toMatchObject({ shown: 4, hiddenTests: 0 })
})

it('what is shown and left out adds up to the models of the list, each counted once', () => {
  const known = facts({ id: 'tts-1', notForChat: 'speech' }, { id: 'reasoner', favourite: true })
  const counts = modelLines({ ...plain, facts: known })
  expect(counts.shown + counts.hidden + counts.hiddenTests).toBe(models.length)
  expect(counts.lines.filter(({ line }) => line === 'model').length).toBeGreaterThan(counts.shown)
})

it('moving passes the headings and stops at the ends', () => {
  const { lines } = modelLines({ ...plain, facts: facts({ id: 'reasoner', favourite: true }) })
  expect(modelAfter(lines, -1, 1)).toBe(1)
  expect(modelAfter(lines, 1, 1)).toBe(3)
  expect(modelAfter(lines, 1, -1)).toBe(1)
  expect(modelAfter(lines, lines.length - 1, 1)).toBe(lines.length - 1)
})

it('offers a model for images only in place of one that may take none, and one that took an image first', () => {
  const all = [
    ...models,
    model('qwen2-vl-7b'),
    model('openai/gpt-5-mini'),
    { ...model('vision'), ownedBy: 'sandbox-tests' },
  ]
  const offered = (chosen: string, ...known: Parameters<typeof facts>) => betterForImages(chosen, all, facts(...known))
  expect(offered('a/writer')).toBe('qwen2-vl-7b')
  expect(offered('a/writer', { id: 'reasoner', images: 'works' })).toBe('reasoner')
  expect(offered('a/writer', { id: 'qwen2-vl-7b', images: 'refused' })).toBe('openai/gpt-5-mini')
  expect(offered('a/writer', { id: 'a/writer', images: 'works' })).toBeNull()
  for (const able of ['qwen2-vl-7b', 'openai/gpt-5-mini', 'claude-x', 'gemini-y']) expect(offered(able)).toBeNull()
  expect(offered('openai/gpt-5-mini', { id: 'openai/gpt-5-mini', images: 'refused' })).toBe('qwen2-vl-7b')
  // A word that only contains the letters of such a name.
  expect(betterForImages('provision', [model('provision'), model('vlad')], facts())).toBeNull()
  expect(
    betterForImages('guide', [model('guide'), { ...model('vision'), ownedBy: 'sandbox-tests' }], facts()),
  ).toBeNull()
})

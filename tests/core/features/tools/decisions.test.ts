import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { StudioError } from '../../../../src-main/core/errors.ts'
import { addTool, call, type Feature, makeFeature, problemOf } from './helpers.ts'

let feature: Feature
beforeEach(() => {
  feature = makeFeature()
})
afterEach(() => feature.close())

describe('a permission', () => {
  test('for a conversation applies there, also to waiting calls; a general one applies everywhere until it is revoked', async () => {
    const { conversation, tool } = await feature.withAdd()
    const elsewhere = feature.conversation({ enabled: [`function:${tool.id}`] })
    const [one, two] = feature.reply(conversation, [call('add', { a: 1, b: 1 }), call('add', { a: 2, b: 2 })])
    const other = feature.oneRow(elsewhere)
    await feature.tools.decide(one?.id ?? '', 'conversation')
    await feature.toolCalls.until(() => feature.toolCalls.toolMessage(two?.id ?? '').run.state === 'by_hand')
    expect(feature.toolCalls.toolMessage(two?.id ?? '').run.allowed).toBe('conversation')
    expect(feature.toolCalls.toolMessage(other.id).run.state).toBe('awaiting')
    const later = feature.oneRow(conversation)
    await feature.toolCalls.until(() => feature.toolCalls.toolMessage(later.id).run.state === 'by_hand')

    await feature.tools.decide(other.id, 'always')
    expect(feature.tools.state().always).toEqual([`function:${tool.id}`])
    await feature.restart()
    const afterwards = feature.oneRow(feature.conversation({ enabled: [`function:${tool.id}`] }))
    await feature.toolCalls.until(() => feature.toolCalls.toolMessage(afterwards.id).run.allowed === 'always')
    feature.tools.forget(`function:${tool.id}`)
    expect(feature.tools.state().always).toEqual([])
    const asked = feature.oneRow(conversation)
    await feature.tools.decide(asked.id, 'no')
    expect(feature.toolCalls.toolMessage(asked.id).run.state).toBe('denied')
  })

  test('applies to one form of the tool: an edited tool must be allowed again', async () => {
    const { conversation, tool } = await feature.withAdd()
    const row = feature.oneRow(conversation)
    await feature.tools.decide(row.id, 'always')
    await feature.tools.saveFunction({ ...addTool, id: tool.id, description: 'Deletes everything.' })
    expect(feature.tools.state().always).toEqual([])
    const next = feature.oneRow(conversation)
    // The validation has ended when that of a later call has.
    const last = feature.oneRow(conversation, '{"a":"x"}')
    await feature.toolCalls.settled(last.id)
    expect(feature.toolCalls.toolMessage(next.id).run.state).toBe('awaiting')
    // A decision about the shown form does not apply to a form that has replaced it.
    await feature.tools.saveFunction({ ...addTool, id: tool.id, description: 'Deletes even more.' })
    expect(await problemOf(feature.tools.decide(next.id, 'once'))).toMatchObject({
      kind: 'bad_input',
      message: expect.stringMatching(/has changed/),
    })
    expect(feature.toolCalls.toolMessage(next.id).run.state).toBe('awaiting')
    await feature.tools.decide(next.id, 'once')
    expect(feature.toolCalls.toolMessage(next.id).run.state).toBe('by_hand')
  })
})

describe('a round of calls', () => {
  test('stops at the limit of rounds, and continues when the person requests it', async () => {
    const { conversation } = await feature.withAdd()
    feature.toolCalls.roundsUpTo = 10
    const row = feature.oneRow(conversation)
    expect(await problemOf(feature.tools.resume(row.id))).toMatchObject({ kind: 'busy' })
    await feature.tools.answer(row.id, '3', false)
    expect(feature.toolCalls.asked).toEqual([])
    await feature.tools.resume(row.id)
    expect(feature.toolCalls.asked).toEqual([row.parentId])
  })

  test('keeps its results if the model cannot be asked, and is resumed later', async () => {
    const { conversation } = await feature.withAdd()
    feature.toolCalls.refuse = new StudioError('not_connected', 'Nothing is connected.')
    const row = feature.oneRow(conversation)
    await feature.tools.answer(row.id, '3', false)
    feature.toolCalls.refuse = null
    await feature.tools.resume(row.id)
    expect(feature.toolCalls.asked).toEqual([row.parentId])
    expect(feature.lines).toEqual(['warn The model was not asked to continue: Nothing is connected.'])
  })

  test('still waits after a restart', async () => {
    const { conversation } = await feature.withAdd()
    const [one, two] = feature.reply(conversation, [call('add', { a: 1, b: 1 }), call('add', { a: 2, b: 2 })])
    if (!one || !two) throw new Error('no rows')
    await feature.tools.decide(one.id, 'once')
    await feature.restart()
    expect(feature.toolCalls.toolMessage(one.id).run.state).toBe('by_hand')
    expect(feature.toolCalls.toolMessage(two.id).run.state).toBe('awaiting')
    await feature.tools.answer(one.id, '2', false)
    await feature.tools.decide(two.id, 'once')
    await feature.tools.answer(two.id, '4', false)
    expect(feature.toolCalls.asked).toEqual([one.parentId])
  })
})

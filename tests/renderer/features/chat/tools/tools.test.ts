import { describe, expect, test } from 'vitest'
import { toolRunState } from '../../../../../src-preload/contract/chat.ts'
import { functionName } from '../../../../../src-preload/contract/tools.ts'
import { appearances, cardState } from '../../../../../src-renderer/features/chat/tools/appearance.ts'
import {
  offeredNow,
  offerGroups,
  searchOffers,
  switched,
} from '../../../../../src-renderer/features/chat/tools/offers.ts'
import { isLastRound, roundsUpTo, rowsOf } from '../../../../../src-renderer/features/chat/tools/round.ts'
import { maxShown, showArguments, showResult } from '../../../../../src-renderer/features/chat/tools/show.ts'
import { findTool, readToolId } from '../../../../../src-renderer/stores/tools.ts'
import { message, none, sceneCall, setup, some } from './harness/scenes.ts'

describe('arguments and results', () => {
  test('are formatted when they are JSON, and otherwise unchanged', () => {
    expect(showArguments('{"a":[1]}')).toMatchObject({ text: '{\n  "a": [\n    1\n  ]\n}', json: true, empty: false })
    expect(showArguments('{"a":')).toMatchObject({ text: '{"a":', json: false })
    expect(showArguments(' {} ')).toMatchObject({ json: true, empty: true })
    expect(showArguments('')).toMatchObject({ json: false, empty: true })
  })

  test('are displayed in part when they are a megabyte, and the rest is counted', () => {
    const shown = showArguments('x'.repeat(1_000_000))
    expect(shown.text).toHaveLength(maxShown)
    expect(shown.more).toBe(1_000_000 - maxShown)
    expect(showResult('word '.repeat(100_000)).text.length).toBeLessThanOrEqual(maxShown)
  })
})

describe('a tool card', () => {
  test('has a text and an icon for each state, and distinguishes an error of the tool from a result', () => {
    for (const state of toolRunState.options) expect(appearances).toHaveProperty(state)
    const { row } = sceneCall('a', '{}', { state: 'done', isError: true })
    expect(cardState(row?.run ?? null, false)).toBe('error')
    expect(cardState(null, true)).toBe('writing')
    expect(cardState(null, false)).toBe('not_run')
  })
})

describe('rounds of calls', () => {
  const row = (n: number) => ({ ...message(n, { role: 'tool' }), run: sceneCall('a', '{}', {}).row?.run ?? null })
  const reply = (n: number) => message(n, { toolCalls: [sceneCall('a', '{}', null).call] })
  const turn = (n: number) => message(n, { role: 'user' })

  test('contain the rows directly below a reply', () => {
    const path = [turn(1), reply(2), row(3), row(4), reply(5), row(6)]
    const [, second, , , fifth] = path
    expect(rowsOf(path, second?.id ?? '').map(({ id }) => id)).toEqual([path[2]?.id, path[3]?.id])
    expect(isLastRound(path, second?.id ?? '')).toBe(false)
    expect(isLastRound(path, fifth?.id ?? '')).toBe(true)
    expect(rowsOf(path, 'not there')).toEqual([])
  })

  test("are counted from the person's last turn", () => {
    const path = [turn(1), reply(2), row(3), turn(4), reply(5), row(6), reply(7), row(8)]
    expect(roundsUpTo(path, path[1]?.id ?? '')).toBe(1)
    expect(roundsUpTo(path, path[6]?.id ?? '')).toBe(2)
  })
})

describe('the tools that a chat can offer', () => {
  const { enabled } = setup.tools
  const groups = offerGroups(some, enabled)

  test("are the person's own first, then each server's, then deleted ones", () => {
    expect(groups.map(({ key, server }) => server?.name ?? key)).toEqual([
      'own',
      'files',
      'search',
      'calendar',
      'A server whose name is as long as a name can be, sixty signs',
      'odd\u202Eelbuort',
      'gone',
    ])
    expect(offerGroups(none, [])).toEqual([])
  })

  test('stay listed with a reason when they are enabled but unavailable', () => {
    const faults = new Map(groups.flatMap(({ offers }) => offers.map(({ name, fault }) => [name, fault?.why])))
    expect(faults.get('add_event')).toBe('off')
    expect(faults.get('lost')).toBe('gone')
    expect(faults.get('broken')).toBe('schema')
    expect(faults.get('read_file')).toBeUndefined()
    expect(offeredNow(groups, enabled).map(({ name }) => name)).toEqual(['get_weather', 'read_file', 'write_file'])
    for (const { name } of offeredNow(groups, enabled)) expect(functionName.safeParse(name).success).toBe(true)
  })

  test('are found by name, title, description and server, with all search terms', () => {
    const names = (search: string) =>
      searchOffers(groups, search).flatMap(({ offers }) => offers.map(({ name }) => name))
    expect(names('READ file')).toEqual(['read_file'])
    expect(names('takes the place')).toEqual(['write_file'])
    expect(names('calendar')).toEqual(['add_event'])
    expect(names('no such words')).toEqual([])
  })

  test("switch without changing the order, without duplicates and within the contract's limit", () => {
    expect(switched(['a', 'b', 'c'], ['b'], false)).toEqual(['a', 'c'])
    expect(switched(['a', 'b'], ['b', 'd'], true)).toEqual(['a', 'b', 'd'])
    expect(
      switched(
        [],
        Array.from({ length: 300 }, (_, n) => String(n)),
        true,
      ),
    ).toHaveLength(128)
  })

  test('are found by their ids, whatever names a server uses', () => {
    expect(readToolId('mcp:1:a:b\nc')).toEqual({ kind: 'mcp', server: '1', name: 'a:b\nc' })
    expect(readToolId('nothing')).toBeNull()
    const [own, read] = enabled
    expect(findTool(some, own ?? '').tool?.name).toBe('get_weather')
    expect(findTool(some, read ?? '')).toMatchObject({ server: { name: 'files' }, mcp: { name: 'read_file' } })
    expect(findTool(null, own ?? '')).toEqual({ tool: null, server: null, mcp: null })
  })
})

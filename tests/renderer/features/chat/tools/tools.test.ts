import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toolRunState } from '../../../../../src-preload/contract/chat.ts'
import { functionName } from '../../../../../src-preload/contract/tools.ts'
import { cardState, looks } from '../../../../../src-renderer/features/chat/tools/appearance.ts'
import {
  offeredNow,
  offerGroups,
  searchOffers,
  switched,
} from '../../../../../src-renderer/features/chat/tools/offers.ts'
import { isLastRound, roundsUpTo, rowsOf } from '../../../../../src-renderer/features/chat/tools/round.ts'
import { firstLine, maxShown, showArguments, showResult } from '../../../../../src-renderer/features/chat/tools/show.ts'
import { findTool, readToolId } from '../../../../../src-renderer/stores/tools.ts'
import { message, none, sceneCall, setup, some } from './harness/scenes.ts'

describe('arguments and results on the screen', () => {
  test('JSON is indented and everything else is left as the model wrote it', () => {
    expect(showArguments('{"a":[1]}')).toMatchObject({ text: '{\n  "a": [\n    1\n  ]\n}', json: true, empty: false })
    expect(showArguments('{"a":')).toMatchObject({ text: '{"a":', json: false })
    expect(showArguments(' {} ')).toMatchObject({ json: true, empty: true })
    expect(showArguments('')).toMatchObject({ json: false, empty: true })
  })

  test('a megabyte is laid out in part and the rest is counted', () => {
    const shown = showArguments('x'.repeat(1_000_000))
    expect(shown.text).toHaveLength(maxShown)
    expect(shown.more).toBe(1_000_000 - maxShown)
    expect(showResult('word '.repeat(100_000)).text.length).toBeLessThanOrEqual(maxShown)
  })

  test('a folded result shows its first line with something in it, on one line', () => {
    expect(firstLine('\n \n  19 degrees\nclear')).toBe('19 degrees')
    expect(firstLine('a'.repeat(500))).toHaveLength(121)
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(firstLine(text)).not.toMatch(/[\n\r]/)
      }),
    )
  })
})

describe('a card', () => {
  test('has words and an icon for each state, and tells an error of the tool from an answer', () => {
    for (const state of toolRunState.options) expect(looks).toHaveProperty(state)
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

  test('the rows of a reply are those right below it', () => {
    const path = [turn(1), reply(2), row(3), row(4), reply(5), row(6)]
    const [, second, , , fifth] = path
    expect(rowsOf(path, second?.id ?? '').map(({ id }) => id)).toEqual([path[2]?.id, path[3]?.id])
    expect(isLastRound(path, second?.id ?? '')).toBe(false)
    expect(isLastRound(path, fifth?.id ?? '')).toBe(true)
    expect(rowsOf(path, 'not there')).toEqual([])
  })

  test('rounds are counted from the person’s last turn', () => {
    const path = [turn(1), reply(2), row(3), turn(4), reply(5), row(6), reply(7), row(8)]
    expect(roundsUpTo(path, path[1]?.id ?? '')).toBe(1)
    expect(roundsUpTo(path, path[6]?.id ?? '')).toBe(2)
  })
})

describe('what a conversation can offer', () => {
  const { enabled } = setup.tools
  const groups = offerGroups(some, enabled)

  test('your own stand first, then each server, then what is gone', () => {
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

  test('what was switched on and can’t be offered stays in sight and says why', () => {
    const faults = new Map(groups.flatMap(({ offers }) => offers.map(({ name, fault }) => [name, fault?.why])))
    expect(faults.get('add_event')).toBe('off')
    expect(faults.get('lost')).toBe('gone')
    expect(faults.get('broken')).toBe('schema')
    expect(faults.get('read_file')).toBeUndefined()
    expect(offeredNow(groups, enabled).map(({ name }) => name)).toEqual(['get_weather', 'read_file', 'write_file'])
    for (const { name } of offeredNow(groups, enabled)) expect(functionName.safeParse(name).success).toBe(true)
  })

  test('a search finds by name, title, description and server, all words of it', () => {
    const names = (search: string) =>
      searchOffers(groups, search).flatMap(({ offers }) => offers.map(({ name }) => name))
    expect(names('READ file')).toEqual(['read_file'])
    expect(names('takes the place')).toEqual(['write_file'])
    expect(names('calendar')).toEqual(['add_event'])
    expect(names('no such words')).toEqual([])
  })

  test('switching keeps the order of the rest, never doubles, and stays within what the contract takes', () => {
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

  test('ids lead to what stands behind them, whatever a server calls its tools', () => {
    expect(readToolId('mcp:1:a:b\nc')).toEqual({ kind: 'mcp', server: '1', name: 'a:b\nc' })
    expect(readToolId('nothing')).toBeNull()
    const [own, read] = enabled
    expect(findTool(some, own ?? '').tool?.name).toBe('get_weather')
    expect(findTool(some, read ?? '')).toMatchObject({ server: { name: 'files' }, mcp: { name: 'read_file' } })
    expect(findTool(null, own ?? '')).toEqual({ tool: null, server: null, mcp: null })
  })
})

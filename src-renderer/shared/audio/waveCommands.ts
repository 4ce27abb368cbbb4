import { i18n } from '../../i18n/index.ts'
import type { Command } from '../commands/registry.ts'
import type { WaveformHandle } from './Waveform.tsx'
import type { WaveKey } from './waveKeys.ts'

const actions = [
  { id: 'play', title: 'cmdPlay', key: ' ', keys: 'Mod+Alt+Space' },
  { id: 'back', title: 'cmdBack', key: 'ArrowLeft', keys: 'Mod+Alt+ArrowLeft' },
  { id: 'forward', title: 'cmdForward', key: 'ArrowRight', keys: 'Mod+Alt+ArrowRight' },
  { id: 'loopFrom', title: 'cmdLoopFrom', key: '[', keys: 'Mod+Alt+[' },
  { id: 'loopTo', title: 'cmdLoopTo', key: ']', keys: 'Mod+Alt+]' },
  { id: 'loop', title: 'cmdLoop', key: 'l', keys: 'Mod+Alt+L' },
  { id: 'faster', title: 'cmdFaster', key: '+', keys: 'Mod+Alt+ArrowUp' },
  { id: 'slower', title: 'cmdSlower', key: '-', keys: 'Mod+Alt+ArrowDown' },
] as const satisfies readonly { id: string; title: string; key: WaveKey; keys: string }[]

/**
 * The keys of a waveform as commands that work anywhere on the page.
 * @param sound returns the sound on the stage
 */
export const waveCommands = (
  page: 'speech' | 'transcribe',
  sound: () => Pick<WaveformHandle, 'press'> | null,
): Command[] =>
  actions.map(({ id, title, key, keys }) => ({
    id: `${page}.${id}`,
    title: i18n.t(`audio:${title}`),
    group: page,
    page,
    keys,
    when: () => sound() !== null,
    run: () => sound()?.press(key),
  }))

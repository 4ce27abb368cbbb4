import { type WavePlayer, type WaveState, waveSpeeds } from './wavePlayer.ts'

/** Seek distance per arrow key press, s. Shift uses the fine step. */
const step = 5
const fineStep = 1

type Pressed = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>

type ActionName = (player: WavePlayer, now: WaveState, by: number) => void

const faster: ActionName = (player, { speed }) => player.setSpeed(waveSpeeds.find((one) => one > speed) ?? speed)
const slower: ActionName = (player, { speed }) => player.setSpeed(waveSpeeds.findLast((one) => one < speed) ?? speed)

const actions = {
  ' ': (player) => player.toggle(),
  k: (player) => player.toggle(),
  ArrowRight: (player, { time }, by) => player.seek(time + by),
  ArrowUp: (player, { time }, by) => player.seek(time + by),
  ArrowLeft: (player, { time }, by) => player.seek(time - by),
  ArrowDown: (player, { time }, by) => player.seek(time - by),
  PageUp: (player, { time, seconds }) => player.seek(time + seconds / 10),
  PageDown: (player, { time, seconds }) => player.seek(time - seconds / 10),
  Home: (player) => player.seek(0),
  End: (player, { seconds }) => player.seek(seconds),
  '[': (player, { time, loop, seconds }) =>
    player.setLoop({ from: time, to: loop && loop.to > time ? loop.to : seconds }),
  ']': (player, { time, loop }) => player.setLoop({ from: loop && loop.from < time ? loop.from : 0, to: time }),
  '\\': (player) => player.setLoop(null),
  l: (player, { loop, seconds }) => player.setLoop(loop ? null : { from: 0, to: seconds }),
  '+': faster,
  '=': faster,
  '-': slower,
} satisfies Record<string, ActionName>
export type WaveKey = keyof typeof actions

const isWaveKey = (key: string): key is WaveKey => Object.hasOwn(actions, key)

/** The same action without a key press, for commands. */
export function waveAction(key: WaveKey, player: WavePlayer, by = step): void {
  const action: ActionName = actions[key]
  action(player, player.state.getState(), by)
}

/** Handles a key press of a focused waveform. Returns false for keys without a function. */
export function waveKey({ key, shiftKey, ctrlKey, metaKey, altKey }: Pressed, player: WavePlayer): boolean {
  if (!isWaveKey(key) || ctrlKey || metaKey || altKey) return false
  waveAction(key, player, shiftKey ? fineStep : step)
  return true
}

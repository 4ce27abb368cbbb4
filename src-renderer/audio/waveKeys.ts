import type { WavePlayer, WaveState } from './wavePlayer.ts'

/** s that an arrow moves; with Shift finer. */
const step = 5
const fineStep = 1

type Pressed = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>

const deeds: Record<string, (player: WavePlayer, now: WaveState, by: number) => void> = {
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
}

/** What a key does to a waveform that has the focus. False: nothing, it is somebody else's. */
export function waveKey({ key, shiftKey, ctrlKey, metaKey, altKey }: Pressed, player: WavePlayer): boolean {
  const deed = Object.hasOwn(deeds, key) ? deeds[key] : undefined
  if (!deed || ctrlKey || metaKey || altKey) return false
  deed(player, player.state.getState(), shiftKey ? fineStep : step)
  return true
}

import { useEffect, useState } from 'react'
import { create } from 'zustand'
import { localStore } from '../storage.ts'

const kept = 'audio.microphone'

/** The id of the selected microphone, empty for the system default. Stored in the browser, because ids differ per browser. */
const useChosen = create<{ id: string }>(() => ({ id: localStore.get(kept) ?? '' }))
export const chosenMicrophone = (): string => useChosen.getState().id
export const useMicrophone = (): string => useChosen(({ id }) => id)

export function chooseMicrophone(id: string): void {
  localStore.set(kept, id)
  useChosen.setState({ id })
}

export interface Microphone {
  id: string
  /** Empty until the browser has permission to use a microphone. */
  label: string
}

/**
 * The available microphones, updated as devices change. A new value of `again` reads them again: labels are available only after the first
 * recording.
 */
export function useMicrophones(again: unknown): Microphone[] {
  const [list, setList] = useState<Microphone[]>([])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new value of `again` reads again
  useEffect(() => {
    const devices: MediaDevices | undefined = navigator.mediaDevices
    if (!devices?.enumerateDevices) return
    let gone = false
    const read = (): void => {
      devices.enumerateDevices().then(
        (all) => {
          if (!gone) setList(microphonesOf(all))
        },
        // Without a list, recording uses the system default.
        () => undefined,
      )
    }
    read()
    devices.addEventListener('devicechange', read)
    return () => {
      gone = true
      devices.removeEventListener('devicechange', read)
    }
  }, [again])
  return list
}

/** Chromium lists the system default twice more, as `default` and `communications`. These are removed. */
function microphonesOf(all: readonly MediaDeviceInfo[]): Microphone[] {
  return all
    .filter(({ kind, deviceId }) => kind === 'audioinput' && !['', 'default', 'communications'].includes(deviceId))
    .map(({ deviceId, label }) => ({ id: deviceId, label }))
}

import { useEffect, useState } from 'react'
import { create } from 'zustand'
import { localStore } from '../storage.ts'

const kept = 'audio.microphone'

/** Which microphone is used, by the browser's id of it; empty: the system's own choice. It is this browser's: ids differ in each. */
const useChosen = create<{ id: string }>(() => ({ id: localStore.get(kept) ?? '' }))
export const chosenMicrophone = (): string => useChosen.getState().id
export const useMicrophone = (): string => useChosen(({ id }) => id)

export function chooseMicrophone(id: string): void {
  localStore.set(kept, id)
  useChosen.setState({ id })
}

export interface Microphone {
  id: string
  /** Empty until the browser has been allowed to use one. */
  label: string
}

/** The microphones there are, followed as they come and go. `again` asks anew: names are told after the first recording alone. */
export function useMicrophones(again: unknown): Microphone[] {
  const [list, setList] = useState<Microphone[]>([])
  // biome-ignore lint/correctness/useExhaustiveDependencies: `again` is what asks anew
  useEffect(() => {
    const devices: MediaDevices | undefined = navigator.mediaDevices
    if (!devices?.enumerateDevices) return
    let gone = false
    const read = (): void => {
      devices.enumerateDevices().then(
        (all) => {
          if (!gone) setList(microphonesOf(all))
        },
        // Without the list the system's own choice is used.
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

/** Chromium names the system's choice twice more, as `default` and `communications`: those are left out. */
function microphonesOf(all: readonly MediaDeviceInfo[]): Microphone[] {
  return all
    .filter(({ kind, deviceId }) => kind === 'audioinput' && !['', 'default', 'communications'].includes(deviceId))
    .map(({ deviceId, label }) => ({ id: deviceId, label }))
}

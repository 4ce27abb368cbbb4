import { create } from 'zustand'

/** The parts of the room, from what is changed most often to what is looked up: the keys of all commands are a long list. */
export const sectionNames = [
  'connection',
  'appearance',
  'language',
  'proxy',
  'tools',
  'alerts',
  'data',
  'shortcuts',
  'about',
] as const
export type SectionName = (typeof sectionNames)[number]

/** Which of them stands at the top of the stage now. */
export const useSection = create<{ shown: SectionName }>(() => ({ shown: 'connection' }))

const elementOf = (name: SectionName): HTMLElement | null =>
  document.querySelector<HTMLElement>(`[data-settings="${name}"]`)

/** Brings a part into sight, and the focus to it: Tab goes on from there. */
export function goToSection(name: SectionName): void {
  const element = elementOf(name)
  element?.scrollIntoView({ block: 'start' })
  element?.focus({ preventScroll: true })
}

/** What has passed the upper edge last is what is read; at the end of the room it is the last one. */
export function followScroll(box: HTMLElement): void {
  const edge = box.getBoundingClientRect().top + 60
  const atEnd = box.scrollTop > 0 && box.scrollTop + box.clientHeight >= box.scrollHeight - 2
  const passed = sectionNames.findLast((name) => (elementOf(name)?.getBoundingClientRect().top ?? Infinity) <= edge)
  const shown = (atEnd ? sectionNames.at(-1) : passed) ?? 'connection'
  if (useSection.getState().shown !== shown) useSection.setState({ shown })
}

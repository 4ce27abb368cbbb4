import { appStore } from '../stores/app.ts'
import { localStore } from './storage.ts'

/** Media query: true when the list fits beside the stage. Otherwise the list slides over the stage. */
export const listFitsQuery = '(min-width: 840px)'
/** Media query: true when the inspector fits beside the stage. */
export const inspectorFitsQuery = '(min-width: 1100px)'
/** Storage key: whether the list is collapsed. */
const key = 'list.shown'

const fits = (): boolean => matchMedia(listFitsQuery).matches

/** Restores the stored state of the list: shown or collapsed. */
export const recallList = (): void => appStore.setState({ listShown: localStore.getJson(key) !== false })

function setShown(listShown: boolean): void {
  appStore.setState({ listShown })
  localStore.setJson(key, listShown)
}

/**
 * Collapses the list without storing that, for content that needs the width. Returns a function that restores the state that the person chose,
 * which includes a choice made in between.
 */
export function collapseListForNow(): () => void {
  appStore.setState({ listShown: false })
  return recallList
}

/** Shows the list: beside the stage, or over it in a narrow window. */
export function openList(): void {
  if (fits()) setShown(true)
  else appStore.setState({ listDrawerOpen: true })
}

/** Collapses or shows the list. Collapsing moves the focus from the list to the button that shows the list again. */
export function toggleList(): void {
  const { listShown, listDrawerOpen } = appStore.getState()
  if (fits()) setShown(!listShown)
  else appStore.setState({ listDrawerOpen: !listDrawerOpen })
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) document.querySelector<HTMLElement>('[data-action="list"]')?.focus()
  })
}

/** Closes the regions that slide over the stage. A region beside the stage stays. */
export const closeDrawers = (): void =>
  appStore.setState({
    listDrawerOpen: false,
    ...(matchMedia(inspectorFitsQuery).matches ? {} : { inspectorShown: false }),
  })

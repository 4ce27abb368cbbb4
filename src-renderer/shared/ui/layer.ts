import { createContext } from 'react'

/**
 * The element in which floating parts are mounted. Null: the page. Inside a modal dialog: the dialog, because the browser draws the dialog
 * over all other elements and makes them inert.
 */
export const LayerContext = createContext<HTMLElement | null>(null)

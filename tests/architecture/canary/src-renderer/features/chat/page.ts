export interface Page {
  name: string
}

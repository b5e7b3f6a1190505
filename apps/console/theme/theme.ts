import { Modal, createTheme } from "@mantine/core";

/**
 * Colours and sizes stand in base.css as variables: a policy without inline styles leaves no room for variables that a
 * script writes. For the same reason a modal does not lock the page's scroll bar.
 */
export const theme = createTheme({
  cursorType: "pointer",
  focusRing: "auto",
  components: { Modal: Modal.extend({ defaultProps: { lockScroll: false, centered: true } }) },
});

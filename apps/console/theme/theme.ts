import { Button, Modal, createTheme } from "@mantine/core";

/**
 * Colours and sizes stand in base.css as variables: a policy without inline styles leaves no room for variables that a
 * script writes. For the same reason a modal does not lock the page's scroll bar.
 */
export const theme = createTheme({
  cursorType: "pointer",
  components: {
    Modal: Modal.extend({ defaultProps: { lockScroll: false, centered: true } }),
    Button: Button.extend({
      // White is no contrast to the light accents of the dark scheme.
      vars: (_, { variant = "filled" }) => ({
        root: variant === "filled" ? { "--button-color": "var(--hf-surface)" } : {},
      }),
    }),
  },
});

import { Component, type ReactNode } from "react";
import { Notice } from "./notice.js";

interface Props {
  readonly children: ReactNode;
}

interface State {
  readonly error: unknown;
}

/** Keeps the frame when a page fails, and says so. A change of its key tries again. */
export class Guard extends Component<Props, State> {
  override state: State = { error: null };

  static getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override render(): ReactNode {
    return this.state.error === null ? this.props.children : <Notice error={this.state.error} />;
  }
}

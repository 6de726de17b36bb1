"""The verbs of the command line, one module each; the only layer that joins Helm, the cluster and the renderer."""

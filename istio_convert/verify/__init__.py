"""The proof: renders what istioctl would apply and what Helm and Kustomize would, and compares the objects."""

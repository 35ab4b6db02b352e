"""Reductions in the tangent space of the full model: kernel flow, lazy, ridge, one step."""
